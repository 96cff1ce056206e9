# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig export FILE OUT.sr`"""

from __future__ import annotations

import argparse
import json

from rig.capture.sr_file import write_sr
from rig.record.reader import RunFile


def command(options: argparse.Namespace) -> int:
    """Write the raw capture, glitches and all, as a file of sigrok's."""
    with RunFile(options.file) as file:
        names = json.loads(file.text("environment/analyzer"))["channels"]
        rate_hz = file.settings["sample_rate_hz"]
        write_sr(
            options.out, file.edge_blocks(), rate_hz, names, unitsize=1 if len(names) <= 8 else 2
        )
    print(f"{options.out}: open it with PulseView or sigrok-cli")
    return 0
