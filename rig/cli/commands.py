# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands and their modules, each of which declares the options and carries them out.

A module has `add_arguments(parser)` and `command(options) -> int`. It is named here as a text and
imported when its command is given, so that `rig --help` loads none of them, and so that commands of
the calibration and of the window are no imports of `rig`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class RigCommand:
    """One of the words that can follow `rig`."""

    name: str
    help: str
    """The purpose of the command, in a line."""
    module: str
    former_name: str = ""
    """The name in earlier versions, which is still understood; "" if there was no other."""


COMMANDS = (
    RigCommand("run", "measure, and write a run file", "rig.cli.run"),
    RigCommand("show", "show a run file, also one that a crash left behind", "rig.cli.show"),
    RigCommand(
        "analyze",
        "compute everything again from a run file's raw data and store it there; "
        "or analyze a capture made by hand (.sr, .vcd)",
        "rig.cli.analyze",
    ),
    RigCommand(
        "export",
        "write a run's capture as .sr, for PulseView, or its events as .csv",
        "rig.cli.export",
    ),
    RigCommand(
        "recover",
        "copy the raw data of a run file that a crash left into one that opens normally",
        "rig.cli.recover",
    ),
    RigCommand(
        "verify",
        "compare every part of run files with the digests stored in them; sign them",
        "rig.cli.verify",
    ),
    RigCommand(
        "sample-size",
        "say how long to run so that no answer above a limit means that such answers are rare",
        "rig.cli.sample_size",
        former_name="length",
    ),
    RigCommand(
        "report",
        "write one page for the browser, or for a PDF, of one or more run files",
        "rig.cli.report",
    ),
    RigCommand(
        "compare",
        "show runs of the same measurement side by side, with differences from the first",
        "rig.cli.compare",
    ),
    RigCommand(
        "table",
        "tables of campaigns and other folders of run files, beside published figures",
        "rig.cli.table",
    ),
    RigCommand("calibration", "what was found of a bench itself", "calibration.cli.show"),
    RigCommand("target", "probe a target, put the agent there, fetch a log", "rig.cli.target"),
    RigCommand("stimulus", "flash the stimulus microcontroller, look at it", "rig.cli.stimulus"),
    RigCommand(
        "boards",
        "list the boards that are described; show one, draw its wiring, write a fixture for it",
        "calibration.cli.boards",
    ),
    RigCommand(
        "calibrate",
        "check and measure the bench itself: the wires, the instruments",
        "calibration.cli.calibrate",
    ),
    RigCommand(
        "selftest",
        "try a new bench step by step, and pack what came of it for a bug report",
        "rig.cli.selftest",
    ),
    RigCommand("gui", "open the window: choose, press Run, see what comes", "gui.cli"),
    RigCommand("plans", "list the built-in plans", "rig.cli.plans"),
    RigCommand("fixtures", "list the built-in fixtures", "rig.cli.fixtures"),
    RigCommand(
        "doctor",
        "check libsigrok, firmware, serial ports; say what is missing and how to mend it",
        "rig.cli.doctor",
    ),
)


class CommandParser(argparse.ArgumentParser):
    """The parser of one command, which imports its module when it gets its words."""

    def __init__(self, *, module: str, **options: Any) -> None:
        """`module`: the dotted name of the module that carries the command out."""
        super().__init__(**options)
        self._module: str | None = module

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse as any parser does, once the command has declared its options."""
        if self._module is not None:
            module, self._module = import_module(self._module), None
            module.add_arguments(self)
            self.set_defaults(command=module.command)
        return super().parse_known_args(args, namespace)
