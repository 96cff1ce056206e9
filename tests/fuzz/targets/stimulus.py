# SPDX-License-Identifier: GPL-3.0-or-later
"""The stimulus's serial line: the input is all that the microcontroller ever sends."""

from __future__ import annotations

import binascii
from unittest import mock

from rig.stimulus.device import MAKER, MODEL, SerialStimulus
from tests.chip import CHIP
from tests.fuzz.refusal import refusal

_READY = f"READY {MAKER},{MODEL} ATmega328P,42,0.1.0\n1\n".encode()
_KNOWN = f"{MAKER},{MODEL} ATmega328P,42,0.1.0\n1\n16000000\n".encode()
"""Replies to the questions at the start."""

_PIECE = 7
"""Replies come in pieces that end anywhere."""


class _Port:
    """A serial port that is unplugged when all has been read."""

    is_open = True

    def __init__(self, said: bytes) -> None:
        self._said = said

    def read(self, _timeout_s: float) -> bytes:
        if not self._said:
            raise OSError(5, "unplugged")
        data, self._said = self._said[:_PIECE], self._said[_PIECE:]
        return data

    def write(self, data: bytes) -> None:
        """Nobody listens."""

    def close(self) -> None:
        """Nothing to do."""


def one_input(data: bytes) -> None:
    """The first byte chooses whether the start, and the frame of a block, are as they should be."""
    choice, said = data[0] if data else 0, data[1:]
    if choice & 1:
        block = said[:128] + binascii.crc_hqx(said[:128], 0).to_bytes(2, "little")
        said = b"#3%03d%s\n%s" % (len(block), block, said[128:])
    if choice & 2:
        said = _READY + _KNOWN + said
    port = _Port(said)
    with mock.patch("rig.stimulus.link.SerialPort", return_value=port), refusal():
        stimulus = SerialStimulus.open("/dev/fuzz", CHIP, ready_timeout_s=1.0)
        while True:  # until the port is gone
            stimulus.fetch(1, 0)
            stimulus.status()
            stimulus.start()
