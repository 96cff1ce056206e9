# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual bench as a process, with an agent, an analyzer or a firmware that lies.

It is `python -m rig.virtual` but for the parts named here; rig.bench starts it in that one's place.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":  # started by its path: the tests are no installed package
    sys.path.insert(0, str(Path(__file__).parents[2]))

from rig.instruments import TargetSummary
from rig.virtual import __main__ as program
from rig.virtual import analyzer, target
from rig.virtual.target import ModelledTarget
from rig.virtual.truth import TRUTH, TruthLog
from tests.lies import firmware
from tests.lies.agent import LyingAgent, LyingPins
from tests.lies.analyzer import LyingAnalyzer, LyingStream
from tests.lies.lie import folder, told, truth_path


class RunTruth(TruthLog):
    """Keeps what was true of the run that goes on."""

    def __init__(self, path: Path | None) -> None:
        super().__init__(path)
        self.rows: list[list[int]] = []

    def add(self, row: list[int]) -> None:
        """As `TruthLog.add`."""
        self.rows.append(row)
        super().add(row)


class ToldTarget(ModelledTarget):
    """Writes the truth of each run when it is stopped."""

    def _reset(self, capacity: int, sequence_bits: int) -> None:
        if hasattr(self, "_truth") and isinstance(self._truth, RunTruth):
            self._truth.rows.clear()
        super()._reset(capacity, sequence_bits)

    def answers_ahead(self) -> None:
        """One by one, so that each can be answered falsely."""

    def stop(self) -> TargetSummary:
        """As `ModelledTarget.stop`."""
        end = super().stop()
        if isinstance(self._truth, RunTruth):
            np.save(truth_path(folder()), np.array([tuple(r) for r in self._truth.rows], TRUTH))
        return end


def main() -> int:
    """Exit code of the bench."""
    lying: dict[Any, dict[str, Any]] = {
        program: {
            "TruthLog": RunTruth,
            "ModelledTarget": ToldTarget,
            "AgentServer": LyingAgent,
            "VirtualAnalyzer": LyingAnalyzer,
        },
        analyzer: {"Stream": LyingStream},
        target: {"AnswerPins": LyingPins},
    }
    false = told("firmware")
    if false.name:
        image = firmware.built(false.name, false.size)
        lying[program]["firmware_image"] = lambda: image
    for module, parts in lying.items():
        for name, part in parts.items():
            if not hasattr(module, name):
                raise AttributeError(f"{module.__name__} has no {name} to put a liar in place of")
            setattr(module, name, part)
    return program.main()


if __name__ == "__main__":
    sys.exit(main())
