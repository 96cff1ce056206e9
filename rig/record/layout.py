# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, types and chunk sizes that the writer and the reader of a run file share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rig.instruments import LOG_RECORD

FORMAT = "latency-rig-run"
FORMAT_VERSION = 5
DIGESTS_SINCE = 2
"""The first format version whose files have digests."""
EVENT_CODES_SINCE = 3
"""The first format version whose events are stored as in event_code.py."""
EVENT_NAMES_SINCE = 5
"""The first format version whose columns of events have the names of today."""
CHUNK = 1 << 15
"""Rows of a chunk of edges, and edges between two anchors at most."""
ANSWER_CHUNK = 1 << 12
"""Rows of a chunk of what there is once an answer. The tail of a column has room for a chunk."""
TAIL_CHUNK = 1 << 10
"""Rows of a chunk of a tail: of a tail, what was never needed takes no room."""

ANCHOR = np.dtype([("row", "<i8"), ("sample", "<i8"), ("levels", "<u8")])
"""The edge in this row is at this sample; `levels` are those of all channels before the row."""
LOSS = np.dtype([("kind", "S24"), ("sample", "<i8"), ("text", "S200")])
DELTA, PACKED, ANCHORS = "edges/delta", "edges/channel_level", "edges/anchor"
CAPTURES, LOG, LOSSES = "stimulus/capture_ticks", "target/log", "loss"
COLUMNS: dict[str, tuple[npt.DTypeLike, int]] = {
    DELTA: (np.dtype("<u4"), CHUNK),
    PACKED: (np.dtype("u1"), CHUNK),  # level in bit 7
    ANCHORS: (ANCHOR, 1 << 9),
    CAPTURES: (np.dtype("<i8"), ANSWER_CHUNK),
    LOG: (LOG_RECORD, ANSWER_CHUNK),
    LOSSES: (LOSS, 1 << 6),
}
"""Type and rows of a chunk of every growing dataset, in the order of the rows of WRITTEN."""
ALONG_EDGES = (CAPTURES, LOG)
"""Columns that refer to edges."""
TAIL_CHUNKS = {CAPTURES: 4}
"""Chunks that a tail has room for, if not one: they wait for the edges to be coded along."""
LONGER_BEFORE = (CAPTURES, LOG)
"""Columns that have chunks of CHUNK rows in files of format versions 1 and 2."""
TAIL = "tail"
WRITTEN = "written"
CALIBRATION = "calibration"
"""Text of the calibration that the run was made with."""
OVERRIDES = "overrides"
"""JSON of what was set otherwise than the plan's text has it, by the names of the options."""
DIGESTS, DIGESTS_BYTES = "digests", 8192
"""JSON with the digest of each part of the raw data; empty until the run file is closed."""
FIGURES_DIGESTS = "figures_digests"
"""JSON with the digest of the raw data that the figures are of, and of each computed part."""
WINDOWS = "windows"
FIGURES = ("events", "statistics", "histogram", WINDOWS)
FIGURES_ATTRIBUTES = ("default", "analyzed_by")
"""The computed part: groups and datasets, and attributes of the file."""
OTHER_CALIBRATION = "statistics/calibration"
"""Text of the calibration that the figures were made with, if it is not the run's own."""
MEASURANDS = "measurands"
"""Group within `histogram`: a dataset for each measurand."""
EVENT_COLUMNS: dict[str, tuple[npt.DTypeLike, str]] = {
    "planned_ticks": (np.dtype("<i8"), "tick of the stimulus clock since INIT"),
    "stimulus_sample": (np.dtype("<i8"), "sample"),
    "response_sample": (np.dtype("<i8"), "sample, -1: none"),
    "response_edge": (np.dtype("<i8"), "number of the response edge, -1: none"),
    "status": (np.dtype("u1"), "0 answered, 1 late, 2 missed, 3 merged, 4 ambiguous"),
}
INTERNAL_LATENCY = "internal_latency_ps"
OPTIONAL_EVENT_COLUMNS: dict[str, tuple[npt.DTypeLike, str]] = {
    INTERNAL_LATENCY: (
        np.dtype("<i8"),
        "ps from the stimulus edge to the agent's reading, -2^63: unknown",
    ),
}
"""Columns that a file may lack: those of older files, and of runs that have no such values."""
_OLDER_EVENT_NAMES = {
    "status": "class",
    "response_edge": "answer",
    INTERNAL_LATENCY: "inside_ps",
    "internal_latency": "inside",
}


def event_dataset(name: str, format_version: int) -> str:
    """Return the path of the dataset that holds a column of events, or the codes of one."""
    if format_version < EVENT_NAMES_SINCE:
        name = _OLDER_EVENT_NAMES.get(name, name)
    return f"events/{name}"
