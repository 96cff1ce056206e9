# SPDX-License-Identifier: GPL-3.0-or-later
"""What the emulator sets right in the simulated chip, as flags.c sees it from inside."""

from __future__ import annotations

from collections.abc import Callable

from rig.virtual.emulator import Emulator

from .port import open_port

TOV1, OCF1B = 1, 4


def test_timer_flags_and_interrupt_entry(start: Callable[[str], Emulator]) -> None:
    emulator = start("flags")
    with open_port(emulator.pty) as port:
        emulator.run(1_000_000)
        seen = list(port.wait(7))
    assert seen == [
        TOV1 | OCF1B,  # writing a one to OCF1A clears OCF1A alone
        OCF1B,  # SBI on TOV1 clears TOV1 alone
        1,  # a flag set before its enable bit interrupts; one instruction passes after SEI
        1,  # masked, it does not
        2,  # enabled again, it does
        # Counter in the handler's first instruction less OCR1A: the match itself, entry, the
        # vector's jump; and four more from sleep (datasheet 7.7.1).
        1 + 4 + 3,
        1 + 4 + 4 + 3,
    ]
