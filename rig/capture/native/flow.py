# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges to live figures in C: the part of the library that flow.h declares.

`rig.streaming.flow` gives what is read here its meaning; `FlowEngine` only calls.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import cffi
import numpy as np
import numpy.typing as npt

from rig.capture import native
from rig.instruments import UInt8Array
from rig.native_library import opened

BINS: Final = 7296
PINS_MAX: Final = 16
SAMPLE_MAX: Final = 1 << 61
"""The bound of sample indexes and times."""
CAPACITY_MAX: Final = 1 << 24
_NOTABLE_MAX: Final = 256
_INTERFACE: Final = 2

_DECLARATIONS = """
struct flow_settings {
    int64_t glitch_samples; int64_t settle_samples; int64_t horizon_samples; int64_t limit_samples;
    uint32_t capacity;
    uint8_t stimulus; uint8_t active_level; uint8_t response; int8_t answer_level;
    uint8_t pins; uint8_t pin[16];
};
struct flow_extreme { int64_t latency_samples; int64_t event; int64_t stimulus_sample; };
struct flow_results {
    int64_t stimuli; int64_t answers; int64_t last_stimulus_sample; int64_t decided;
    int64_t classes[5]; int64_t extras[2];
    int64_t served; uint64_t sum_low; uint64_t sum_high;
    int64_t over_limit; int64_t expired; int64_t forced; int64_t contradicted; int64_t notable_lost;
    struct flow_extreme maximum; struct flow_extreme minimum;
    int64_t removed[128];
};
struct flow_notable {
    int64_t event; int64_t stimulus_sample; int64_t response_sample; uint8_t kind; uint8_t reasons;
};
struct flow;
int flow_interface(void);
struct flow *flow_new(const struct flow_settings *);
void flow_free(struct flow *);
int flow_feed(struct flow *, int64_t, int64_t, const uint32_t *, const uint8_t *, size_t, uint64_t);
void flow_finish(struct flow *);
const struct flow_results *flow_results(const struct flow *);
const uint64_t *flow_histogram(const struct flow *);
size_t flow_take_notable(struct flow *, struct flow_notable *, size_t);
"""
_ffi: Any = cffi.FFI()  # typeshed knows neither numpy's buffers nor what cdef declares
_ffi.cdef(_DECLARATIONS)
_OFFSETS: Any = _ffi.typeof("uint32_t[]")
_CODES: Any = _ffi.typeof("uint8_t[]")
"""The types, looked up once, as such a lookup takes longer than a small block's edges."""

NOTABLE: Final = np.dtype(
    [
        ("event", "i8"),
        ("stimulus_sample", "i8"),
        ("response_sample", "i8"),
        ("kind", "u1"),
        ("reasons", "u1"),
    ],
    align=True,
)
"""The dtype of struct flow_notable."""


@cache
def _load(path: Path) -> Any:
    """The functions in this file, None if it cannot be used; `rig.capture.native.status` says why
    for the same file."""
    return opened(path, _ffi.dlopen, "flow_interface", _INTERFACE)[0]


def available() -> bool:
    """Return whether the library is there and has the functions that this file calls."""
    return _load(native.LIBRARY) is not None


class FlowEngine:
    """One struct flow."""

    def __init__(
        self,
        *,
        glitch_samples: int,
        settle_samples: int,
        horizon_samples: int,
        limit_samples: int,
        capacity: int,
        stimulus: int,
        active_level: int,
        response: int,
        answer_level: int,
        pins: tuple[int, ...],
    ) -> None:
        """`limit_samples` and `answer_level` may be -1: none; see flow.h for the others.

        Raises ValueError for settings that cannot be, RuntimeError if there is no library.
        """
        self._functions = _load(native.LIBRARY)
        if self._functions is None:
            raise RuntimeError(f"{native.LIBRARY.name} cannot be used")
        settings = {
            "glitch_samples": glitch_samples,
            "settle_samples": settle_samples,
            "horizon_samples": horizon_samples,
            "limit_samples": limit_samples,
            "capacity": capacity,
            "stimulus": stimulus,
            "active_level": active_level,
            "response": response,
            "answer_level": answer_level,
            "pins": len(pins),
            "pin": list(pins),
        }
        try:
            flow = self._functions.flow_new(_ffi.new("struct flow_settings *", settings))
        except (OverflowError, IndexError) as error:
            raise ValueError(f"no flow of {settings}: {error}") from error
        if flow == _ffi.NULL:
            raise ValueError(f"no flow of {settings}")
        self._flow = _ffi.gc(flow, self._functions.flow_free)
        self.results: Any = self._functions.flow_results(flow)
        """struct flow_results, as it is at the moment of reading."""

    def feed(
        self,
        start_sample: int,
        end_sample: int,
        offset: npt.NDArray[np.uint32],
        code: UInt8Array,
        levels_before: int,
    ) -> bool:
        """Return whether the edges were taken: no if blocks, or edges, do not follow each other.

        `offset` and `code` have the shape (n,) and are as in a PackedBlock.
        """
        if len(offset) != len(code):
            return False
        taken: int = self._functions.flow_feed(
            self._flow,
            start_sample,
            end_sample,
            _ffi.from_buffer(_OFFSETS, np.ascontiguousarray(offset, dtype=np.uint32)),
            _ffi.from_buffer(_CODES, np.ascontiguousarray(code, dtype=np.uint8)),
            len(offset),
            levels_before & ((1 << 64) - 1),
        )
        return taken == 0

    def finish(self) -> None:
        """Decide what is left."""
        self._functions.flow_finish(self._flow)

    def histogram(self) -> npt.NDArray[np.uint64]:
        """Return a copy of the counts, shape (BINS,)."""
        raw = self._functions.flow_histogram(self._flow)
        return np.frombuffer(_ffi.buffer(raw, BINS * 8), dtype=np.uint64).copy()

    def take_notable(self) -> npt.NDArray[np.void]:
        """The notable events not yet taken, oldest first, shape (n,), dtype NOTABLE."""
        taken = np.empty(_NOTABLE_MAX, dtype=NOTABLE)
        raw = _ffi.from_buffer("struct flow_notable[]", taken)
        return taken[: self._functions.flow_take_notable(self._flow, raw, _NOTABLE_MAX)]
