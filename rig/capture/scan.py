# SPDX-License-Identifier: GPL-3.0-or-later
"""libsigrok's own search for analyzers, in a process of its own: a driver may hang or crash.

`python -m rig.capture.scan DRIVER ...` asks one driver after the other and writes a line of
JSON for each. Only drivers that sample without end and may be asked
without harm are: `ftdi-la` would take serial ports of other programs away.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from rig.capture.sigrok import SeveralDevicesError, SigrokContext, SigrokDevice
from rig.errors import BenchError

DRIVERS: Final = ("fx2lafw", "dreamsourcelab-dslogic", "saleae-logic16", "saleae-logic-pro")
LIMIT_S: Final = 10.0
"""The time for all drivers together: some load firmware and wait for the device's return."""
_ALONE_S: Final = 30
_ABSENT: Final = "no device found"


@dataclass(frozen=True)
class Scanned:
    """The answer of one driver."""

    driver: str
    name: str = ""
    """The maker and model of the device that it opened; empty if there is none."""
    channels: int = 0
    problem: str = ""
    """The reason why a device is unusable, or the driver did not answer; empty if none is wrong."""


def scan(drivers: Sequence[str] = DRIVERS, limit_s: float = LIMIT_S) -> tuple[Scanned, ...]:
    """Ask these drivers, each as NAME or NAME@CONNECTION; one answer each, in their order.

    A driver that hangs or crashes has that as its problem, and those after it are asked again.
    """
    answers: list[Scanned] = []
    while len(answers) < len(drivers):
        rest = drivers[len(answers) :]
        answers += _asked(rest, limit_s)
    return tuple(answers)


def _asked(drivers: Sequence[str], limit_s: float) -> list[Scanned]:
    """Return the answers of the first drivers, at least one."""
    command = [sys.executable, "-P", "-m", "rig.capture.scan", *drivers]
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit_s, check=False)
        told, why = done.stdout, f"its process ended with exit code {done.returncode}"
    except subprocess.TimeoutExpired as late:
        told, why = late.stdout or b"", f"no answer within {limit_s:g} s"
    answers = [_answer(line) for line in told.splitlines()]
    if len(answers) < len(drivers):
        answers.append(Scanned(drivers[len(answers)], problem=why))
    return answers


def _answer(line: bytes) -> Scanned:
    values: dict[str, Any] = json.loads(line)
    return Scanned(**values)


def main() -> int:
    """Write a line for each driver that is named."""
    signal.alarm(_ALONE_S)  # whoever started it may be gone when a driver hangs
    with SigrokContext() as context:
        for word in sys.argv[1:]:
            print(json.dumps(asdict(_look(context, word))), flush=True)
    return 0


def _look(context: SigrokContext, word: str) -> Scanned:
    driver, _, conn = word.partition("@")
    try:
        device = SigrokDevice(context, driver, conn, {})
    except SeveralDevicesError as error:
        return Scanned(word, str(error))
    except BenchError as error:
        is_absent = _ABSENT in str(error)
        return Scanned(word, problem="" if is_absent else str(error))
    name = " ".join(part for part in (device.vendor, device.model) if part) or driver
    channels = len(device.channels())
    device.close()
    return Scanned(word, name, channels)


if __name__ == "__main__":
    sys.exit(main())
