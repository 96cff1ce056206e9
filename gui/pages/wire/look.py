# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m gui.pages.wire.look [--passive]`: what `rig doctor` finds, as JSON on standard output.

`--passive` does not open analyzers: a run may have them.

A process of its own: it asks libsigrok, and neither a driver that hangs nor one that crashes
shall reach the window.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Final

from rig.services.doctor import look

PASSIVE: Final = "--passive"


def main() -> int:
    """One array with an object for each finding."""
    json.dump(
        [asdict(finding) for finding in look(ask_drivers=PASSIVE not in sys.argv)], sys.stdout
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
