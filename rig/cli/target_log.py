# SPDX-License-Identifier: GPL-3.0-or-later
"""An agent's log as CSV: one line a record, ticks of the target's cycle counter."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rig.errors import BenchError, InputError
from rig.files import replace_atomically
from rig.instruments import LOG_RECORD, ArmOptions
from rig.target.link import AgentLink
from rig.target.protocol import LOG_CHUNK, ProtocolError, fields

CAPACITY_MAX = 100_000_000


def arm_options(words: str, capacity: int) -> ArmOptions:
    """Return what `--arm` asks for: key=value words of the agent's ARM. Raises InputError."""
    try:
        pairs = fields(words)
    except ProtocolError as error:
        raise InputError(f"--arm: {error}") from None
    if not words.isascii() or not words.isprintable():
        raise InputError("--arm: words are of printable ASCII characters")
    if not 1 <= capacity <= CAPACITY_MAX:
        raise InputError(f"--capacity: {capacity} is out of range; valid: 1 to {CAPACITY_MAX}")
    measurement = pairs.pop("measurement", "")
    if not measurement:
        raise InputError("--arm: measurement is missing; valid: measurement=NAME and further words")
    bits = pairs.pop("sequence_bits", "0")
    if not (bits.isdecimal() and len(bits) == 1):
        raise InputError(f"--arm: sequence_bits={bits} is no number; valid: 0 to 7")
    if "capacity" in pairs:
        raise InputError("--arm: capacity is an option of its own; valid: --capacity N")
    return ArmOptions(measurement, capacity, int(bits), pairs)


def write_log(agent: AgentLink, path: Path) -> int:
    """Fetch all records into a file that is there only when it is whole; return how many.

    Raises:
        BenchError: the link fails, or the file cannot be written.
    """
    try:
        with replace_atomically(path) as unfinished:
            return _write(agent, unfinished)
    except OSError as error:
        raise BenchError(f"{path}: cannot be written ({error.strerror})") from None


def _write(agent: AgentLink, path: Path) -> int:
    names = LOG_RECORD.names or ()
    count = 0
    with path.open("w", encoding="ascii", newline="\n") as file:
        file.write(",".join(names) + "\n")
        while len(records := agent.log(count, LOG_CHUNK)):
            table = np.column_stack([records[name].astype(np.uint64) for name in names])
            np.savetxt(file, table, fmt="%d", delimiter=",")
            count += len(records)
    return count
