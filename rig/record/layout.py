# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, types and chunk sizes that the writer and the reader of a run file share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rig.instruments import LOG_RECORD

FORMAT = "latency-rig-run"
FORMAT_VERSION = 1
CHUNK = 1 << 15
"""Rows of a chunk. Full chunks are written once; a flush in between rewrites the last one."""

LOSS = np.dtype([("kind", "S24"), ("sample", "<i8"), ("text", "S200")])
COLUMNS: dict[str, npt.DTypeLike] = {
    "edges/sample": np.dtype("<i8"),
    "edges/channel_level": np.dtype("u1"),  # level in bit 7
    "stimulus/capture_ticks": np.dtype("<i8"),
    "target/log": LOG_RECORD,
    "loss": LOSS,
}
EVENT_COLUMNS: dict[str, tuple[npt.DTypeLike, str]] = {
    "planned_ticks": (np.dtype("<i8"), "tick of the stimulus clock since INIT"),
    "stimulus_sample": (np.dtype("<i8"), "sample"),
    "response_sample": (np.dtype("<i8"), "sample, -1: none"),
    "answer": (np.dtype("<i8"), "number of the answer edge, -1: none"),
    "class": (np.dtype("u1"), "0 answered, 1 late, 2 missed, 3 merged"),
}
