# SPDX-License-Identifier: GPL-3.0-or-later
"""The fixture of a virtual bench as text: what tests do not choose is written here, once."""

from __future__ import annotations

from pathlib import Path


def virtual_fixture(
    name: str,
    virtual: str,
    *,
    truth: Path | str = "truth.bin",
    rate_mhz: int = 24,
    channels: int = 8,
    driver: str = "beaglelogic",
    sequence_bits: int = 0,
    uncertainty: str = "",
) -> str:
    """A fixture with stimulus on D0, response on D1 and the sequence from D2 on.

    `virtual`: the tables of [virtual.*], that of the target at least. `truth`: where the bench
    leaves what was true; if relative, beside the fixture. `uncertainty`: tables of what the
    bench's maker tells of it.
    """
    sequence = "".join(
        f'[[wire]]\nsignal = "sequence{bit}"\nchannel = "D{2 + bit}"\n'
        for bit in range(sequence_bits)
    )
    return f"""\
[fixture]
name = "{name}"
title = "{name}"
[analyzer]
driver = "{driver}"
connection = "virtual"
sample_rate = "{rate_mhz} MHz"
channels = {channels}
[stimulus]
port = "virtual"
chip = "atmega328p"
[target]
link = "virtual"
[[wire]]
signal = "stimulus"
channel = "D0"
stimulus_pin = "D9"
[[wire]]
signal = "response"
channel = "D1"
stimulus_pin = "D8"
{sequence}{uncertainty}
[virtual]
truth_file = "{truth}"
{virtual}
"""
