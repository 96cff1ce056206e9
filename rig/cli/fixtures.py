# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig fixtures`"""

from __future__ import annotations

import argparse

from rig.cli.streams import say
from rig.config.fixture import load_fixture
from rig.resources import fixture_names


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Declare nothing: there are no words and options."""


def command(_options: argparse.Namespace) -> int:
    """A line for each built-in fixture."""
    names = fixture_names()
    width = max(len(name) for name in names)
    for name in names:
        say(f"{name:<{width}}  {load_fixture(name).title}")
    return 0
