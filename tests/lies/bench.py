# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual bench as a process, with an agent, an analyzer or a firmware that lies.

It is `python -m rig.virtual` but for the parts named here; rig.bench starts it in that one's place.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # started by its path: the tests are no installed package
    sys.path.insert(0, str(Path(__file__).parents[2]))

from rig.virtual import __main__ as program
from rig.virtual import analyzer, target
from tests.lies import firmware
from tests.lies.agent import LyingAgent, LyingPins
from tests.lies.analyzer import LyingAnalyzer, LyingStream
from tests.lies.kernel import RunTruth, ToldTarget
from tests.lies.lie import told


def main() -> int:
    """Exit code of the bench."""
    lying: dict[Any, dict[str, Any]] = {
        program: {
            "TruthLog": RunTruth,
            "ModelledTarget": ToldTarget,
            "AgentServer": LyingAgent,
            "VirtualAnalyzer": LyingAnalyzer,
        },
        analyzer: {"SampleStream": LyingStream},
        target: {"AnswerPins": LyingPins},
    }
    false = told("firmware")
    if false.name:
        image = firmware.built(false.name, false.size)
        lying[program]["firmware_image"] = lambda _chip: image
    for module, parts in lying.items():
        for name, part in parts.items():
            if not hasattr(module, name):
                raise AttributeError(f"{module.__name__} has no {name} to put a liar in place of")
            setattr(module, name, part)
    return program.main()


if __name__ == "__main__":
    sys.exit(main())
