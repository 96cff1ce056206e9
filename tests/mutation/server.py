# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs tests of the tree it is started in, each request in a child of its own.

What takes long to import is imported once. A request is a line of JSON on standard input,
`{"tests": [...], "seconds": 60}`; the answer is pytest's exit code, or -1 for tests that took too
long.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
import time

_SLOW_TO_IMPORT = ("numpy", "scipy.stats", "scipy.optimize", "h5py", "pytest", "cffi")
"""No plugin of pytest: it refuses those that are imported before it."""
_TOOK_TOO_LONG = -1
_FAILED = 1
_AT_ITS_END = 100
"""Added to pytest's exit code: what is tested may end the process itself, with 0."""
_ARGUMENTS = (
    "-x", "-q", "--timeout=60", "--timeout-method=thread", "-p", "no:cacheprovider",
    "-p", "no:pytest-qt",
)  # fmt: skip
"""What hangs in C is ended as well. Qt takes long to import, and nothing changed here needs it."""


def main() -> None:
    """Serves until standard input ends."""
    sys.path[0] = ""  # the tree, not this file's folder
    for name in _SLOW_TO_IMPORT:
        importlib.import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        print(_code(request["tests"], request["seconds"]), flush=True)


def _code(tests: list[str], seconds: float) -> int:
    child = os.fork()
    if child == 0:
        os.setsid()
        _run(tests)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            _end(child)
            code = os.waitstatus_to_exitcode(status)
            return code - _AT_ITS_END if code >= _AT_ITS_END else _FAILED
        time.sleep(0.02)
    _end(child)
    os.waitpid(child, 0)
    return _TOOK_TOO_LONG


def _end(child: int) -> None:
    """The child, and what its tests started and left."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


def _run(tests: list[str]) -> None:
    import pytest

    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nowhere, descriptor)
    code = 2
    try:
        code = int(pytest.main([*_ARGUMENTS, *tests]))
    finally:
        os._exit(_AT_ITS_END + code)


if __name__ == "__main__":
    main()
