# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig show FILE`"""

from __future__ import annotations

import argparse

from rig.cli.output import show_result
from rig.session.results import read


def command(options: argparse.Namespace) -> int:
    """Show a run; 0 if it could be read, whatever its verdict."""
    show_result(read(options.file), as_json=options.json)
    return 0
