# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m gui.pages.wire.look`: what `rig doctor` finds, as JSON on standard output.

A process of its own: it asks libsigrok, and neither a driver that hangs nor one that crashes
shall reach the window.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from rig.cli.doctor import look


def main() -> int:
    """One array with an object for each finding."""
    json.dump([asdict(finding) for finding in look()], sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
