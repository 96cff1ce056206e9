# SPDX-License-Identifier: GPL-3.0-or-later
"""The events of a run file as arrays, by the rig's own reader."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from rig.instruments import UNKNOWN_PS
from rig.record.layout import EVENT_COLUMNS, INTERNAL_LATENCY
from rig.record.reader import RunFile


def events_of(path: Path | str) -> dict[str, npt.NDArray[np.int64]]:
    """All columns, of all events; without the latencies inside the target if none is known."""
    with RunFile(Path(path)) as file:
        events = file.events(0, file.event_count, (*EVENT_COLUMNS, INTERNAL_LATENCY))
    if np.all(events[INTERNAL_LATENCY] == UNKNOWN_PS):
        del events[INTERNAL_LATENCY]
    return events
