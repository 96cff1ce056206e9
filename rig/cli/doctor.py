# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig doctor`: what this machine has for a bench, what is missing, and how to mend it."""

from __future__ import annotations

import argparse

from rig.cli.findings import show_findings
from rig.services.doctor import look


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Declare nothing: there are no words and options."""


def command(_options: argparse.Namespace) -> int:
    """Print a line for each finding; 3 if something that every bench needs is missing."""
    return show_findings([*look()])
