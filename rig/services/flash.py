# SPDX-License-Identifier: GPL-3.0-or-later
"""Putting the firmware that comes with the rig onto a board, by avrdude."""

from __future__ import annotations

import shutil
import subprocess
import termios
from collections.abc import Callable
from dataclasses import dataclass

from rig.errors import BenchError, InputError
from rig.printable import printable
from rig.resources import firmware_image
from rig.stimulus.port import SerialPort, obstacle

BAUDS = (115_200, 57_600)
"""The rates of the boot loaders: an Uno's and a new Nano's, and an old Nano's."""
PARTS = {"atmega328p": "m328p"}
"""What avrdude calls a chip."""
PATIENCE_S = 120.0
NOT_IN_SYNC = "not in sync", "not responding", "protocol error"
_OTHER_BOARDS = (
    "an Uno R4, a Nano Every or a Nano 33 has another chip, and no firmware here; a clone's boot "
    "loader may be missing"
)


@dataclass(frozen=True)
class _Cause:
    """A cause that avrdude's output tells of."""

    words: tuple[str, ...]
    text: str


_CAUSES = (
    _Cause(
        ("m328pb", "1e9516"),
        "the chip is an ATmega328PB, of a clone: flash it by hand with `-p m328pb` in place of "
        "`-p m328p`",
    ),
    _Cause(
        ("signature",),
        "the chip is no ATmega328P, or its signature was not read: see what stands on it",
    ),
    _Cause(("verification error", "mismatch"), "what was written is not what is there: try again"),
)


def flash(port: str, chip: str, say: Callable[[str], None]) -> int:
    """Flash a board, and return the rate at which its boot loader answered.

    Args:
        port: the serial port's device file.
        chip: the chip's name in fixtures.
        say: told what is tried.

    Raises:
        InputError: there is no firmware for the chip, or it is none that avrdude flashes so.
        BenchError: avrdude is missing, somebody else has the port, or it has failed; the text has
            the cause, if it is known.
    """
    part, image = PARTS.get(chip), firmware_image(chip)
    if part is None:
        raise InputError(f"{chip} is not flashed by avrdude; valid: {', '.join(PARTS)}")
    program = shutil.which("avrdude")
    if program is None:
        raise BenchError("avrdude is not installed; apt-get install avrdude")
    _refuse_taken(port)
    for baud in BAUDS:
        say(f"avrdude, {baud} baud: {image} to {port}")
        command = [program, "-p", part, "-c", "arduino", "-P", port, "-b", str(baud)]
        said, code = _ran([*command, "-U", f"flash:w:{image}:i"])
        if code == 0:
            return baud
        if not any(words in said.lower() for words in NOT_IN_SYNC):
            raise BenchError(f"{port}: not flashed: {_cause(said, code)}")
    rates = " and ".join(map(str, BAUDS))
    raise BenchError(
        f"{port}: no boot loader answers at {rates} baud (avrdude: not in sync): check that --port "
        f"names an Uno or Nano and that D0 and D1 are free; {_OTHER_BOARDS}"
    )


def _refuse_taken(port: str) -> None:
    """Raise BenchError if the port cannot be had: avrdude would take it from a run that goes on."""
    try:
        SerialPort(port, BAUDS[0], PATIENCE_S).close()
    except (OSError, ValueError, termios.error) as error:
        raise BenchError(f"{port}: not flashed: {obstacle(error)}") from error


def _ran(command: list[str]) -> tuple[str, int]:
    """Return what the program has said, and its exit code."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BenchError(
            f"avrdude has not ended within {PATIENCE_S:g} s; unplug the board and plug it again"
        ) from None
    except OSError as error:
        raise BenchError(f"{command[0]}: {error.strerror}") from error
    return done.stdout.decode(errors="replace"), done.returncode


def _cause(said: str, code: int) -> str:
    for cause in _CAUSES:
        if any(words in said.lower() for words in cause.words):
            return cause.text
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    # The first error is the cause of others; the last line is "avrdude done.  Thank you."
    telling = printable([*errors, lines[-1]][0])[:200] if lines else "it said nothing"
    return f"avrdude ended with {code}: {telling}"
