# SPDX-License-Identifier: GPL-3.0-or-later
"""Edge extraction in C: the library beside this file, called by cffi's ABI mode.

The library needs no Python to build (docs/decisions/0008) and may be missing; `variants` is empty
then, and `status` says why.
"""

from __future__ import annotations

import sys
from collections import deque
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import cffi
import numpy as np
import numpy.typing as npt

from rig.instruments import UInt8Array
from rig.native_library import opened

LIBRARY = Path(__file__).parent / "build" / "librig-edges.so"
"""Built by setup.py, for a wheel and for an editable install."""
VARIANTS: Final = ("avx512", "avx2", "sse2", "portable")
"""The variants in the order of enum edges_variant, fastest first."""
CAPACITY: Final = 1 << 16
"""The most edges of one call: 320 KiB of output, which stay in the processor's cache."""
_CAPACITY_MIN = 16
_OUTPUTS_KEPT = 4
"""The outputs kept: fresh memory costs page faults, which take as long as finding the edges."""
_INTERFACE = 3
_MEND = "apt-get install gcc libc6-dev, then install latency-rig again"

_DECLARATIONS = """
struct edges_input {
    const uint8_t *samples; size_t count; uint16_t before; uint16_t mask;
};
struct edges_output {
    uint32_t *offset; uint8_t *code; size_t capacity; size_t count;
};
int edges_interface(void);
int edges_can_run(int);
size_t edges_extract(int, int, const struct edges_input *, struct edges_output *);
"""
_ffi: Any = cffi.FFI()  # typeshed knows neither numpy's buffers nor what cdef declares
_ffi.cdef(_DECLARATIONS)
_BYTES: Any = _ffi.typeof("uint8_t[]")
"""The type, looked up once: a packet of a megabyte takes less time than a few such lookups."""

FoundEdges = tuple[npt.NDArray[np.uint32], UInt8Array]
"""Offset from the first sample looked at, and channel | level << 7, each of shape (n,), in order of
(offset, channel)."""
_NOTHING: Final[FoundEdges] = (np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint8))


@dataclass(frozen=True)
class _Library:
    """The functions of the library, or why they cannot be called."""

    functions: Any
    variants: tuple[str, ...]
    trouble: str


@cache
def load(path: Path) -> _Library:
    """Load the library of this file, or the reason why it cannot be used; never raises."""
    functions, trouble = opened(path, _ffi.dlopen, "edges_interface", _INTERFACE)
    if trouble:
        return _Library(None, (), trouble)
    runnable = tuple(
        name for number, name in enumerate(VARIANTS) if functions.edges_can_run(number)
    )
    return _Library(functions, runnable, "")


def variants() -> tuple[str, ...]:
    """Return the variants that the library has and this processor can run, fastest first."""
    return load(LIBRARY).variants


def status() -> str:
    """Return one line: the variant in use and why, or why none is and what to do."""
    library = load(LIBRARY)
    if library.trouble:
        return f"numpy, many times slower: {library.trouble}; {_MEND}"
    return f"{library.variants[0]}, the fastest this processor can run of {', '.join(VARIANTS)}"


class NativeFinder:
    """Edges of whole samples, found by one variant of the library."""

    def __init__(
        self, variant: str, unitsize: int, channel_mask: int, capacity: int = CAPACITY
    ) -> None:
        """`capacity`: edges found at once, 16 or more. Raises ValueError for what cannot be."""
        if variant not in variants() or unitsize not in {1, 2} or capacity < _CAPACITY_MIN:
            raise ValueError(f"no finder {variant}, {unitsize} bytes, {capacity} edges at once")
        self._extract = load(LIBRARY).functions.edges_extract
        self._variant = VARIANTS.index(variant)
        self._unitsize = unitsize
        self._capacity = capacity
        self._input = _ffi.new("struct edges_input *", {"mask": channel_mask})
        self._output = _ffi.new("struct edges_output *", {"capacity": capacity})
        self._outputs: deque[FoundEdges] = deque(maxlen=_OUTPUTS_KEPT)
        self._renew_output()

    def _renew_output(self) -> None:
        """Point at an output that nobody looks at any more, or at a new one."""
        found = next((kept for kept in self._outputs if _is_free(kept)), None)
        if found is None:
            found = (
                np.empty(self._capacity, dtype=np.uint32),
                np.empty(self._capacity, dtype=np.uint8),
            )
            self._outputs.append(found)
        self._found = found
        self._output.offset = _ffi.from_buffer("uint32_t[]", found[0])
        self._output.code = _ffi.from_buffer("uint8_t[]", found[1])

    def find(self, samples: npt.NDArray[Any], before: int) -> tuple[int, FoundEdges]:
        """Return how many of `samples` were used, at least one, and the edges in those.

        `samples` has the shape (n,), n > 0, and `unitsize` bytes an item; `before` is the sample
        before the first one.
        """
        given, output = self._input, self._output
        given.samples = _ffi.from_buffer(_BYTES, samples)
        given.count = len(samples)
        given.before = before
        output.count = 0
        used: int = self._extract(self._variant, self._unitsize, given, output)
        found = output.count
        if found == 0:
            return used, _NOTHING
        offset, code = self._found
        if 2 * found > self._capacity:  # handed over: cheaper than copies, and little is wasted
            self._renew_output()
            return used, (offset[:found], code[:found])
        return used, (offset[:found].copy(), code[:found].copy())


def _is_free(found: FoundEdges) -> bool:
    """Return whether no slice of the arrays is left, as each is a user of its array.

    The two users allowed are the tuple and the function that counts.
    """
    return all(sys.getrefcount(found[n]) <= 2 for n in (0, 1))
