# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one Python target under atheris: `python -m tests.fuzz.python_target NAME LIBFUZZER...`"""

from __future__ import annotations

import importlib
import resource
import sys

import atheris
from atheris.import_hook import HookManager

_ADDRESS_SPACE = 4 << 30
"""Ends what asks for far too much at once before the machine suffers; libFuzzer judges the rest."""
_INSTRUMENTED = {"rig", "configparser", "tomllib", "zipfile"}
_ON_ARRAYS = {"pairing", "run_file", "settings"}
"""atheris would also watch comparisons, which helps with text; it leaks memory for each array."""


def main(words: list[str]) -> None:
    """Never returns: libFuzzer ends the process."""
    name, *arguments = words
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    with HookManager(
        _INSTRUMENTED,
        set(),
        enable_loader_override=False,
        trace_dataflow=name not in _ON_ARRAYS,
    ):
        target = importlib.import_module(f"tests.fuzz.targets.{name}")
    atheris.Setup([name, *arguments], target.one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
