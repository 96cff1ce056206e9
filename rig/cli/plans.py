# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig plans`"""

from __future__ import annotations

import argparse

from rig.config.plan import load_plan
from rig.resources import plan_names


def command(_options: argparse.Namespace) -> int:
    """A line for each built-in plan."""
    names = plan_names()
    width = max(len(name) for name in names)
    for name in names:
        print(f"{name:<{width}}  {load_plan(name).title}")
    return 0
