# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig analyze FILE`"""

from __future__ import annotations

import argparse
import sys

from rig.cli.output import show_result
from rig.session.results import evaluation_text, read, store, stored_text


def command(options: argparse.Namespace) -> int:
    """Compute again and store what is new; exit code as of `rig run`."""
    result = read(options.file)
    same = evaluation_text(result.evaluation) == stored_text(options.file)
    if not same:
        result = store(options.file)
    show_result(result, as_json=options.json)
    words = "the same figures as stored" if same else "figures stored"
    print(f"{options.file}: {words}", file=sys.stderr)
    return result.exit_code
