# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of analyzers; the fixture's `driver` chooses the one that reads a bench's analyzer.

A driver that no kind is registered for is libsigrok's. Kinds are named as text and imported when
one is opened or looked for, so that reading a fixture loads no library. Other packages register
theirs as entry points of the group `latency_rig.analyzers` (docs/how-to/add-an-analyzer.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Final, Protocol, cast

from rig.errors import BenchError
from rig.instruments import Analyzer, Datasheet

OptionValue = str | int | bool

GROUP: Final = "latency_rig.analyzers"
ANALYZERS: Final[dict[str, str]] = {"saleae-logic2": "rig.capture.logic2:LOGIC2"}
"""This package's kinds by driver: the module and, behind a colon, the `AnalyzerKind` in it."""
_LIBSIGROK: Final = "rig.capture.sigrok_analyzer:LIBSIGROK"


@dataclass(frozen=True)
class AnalyzerSettings:
    """The logic analyzer and how it is set: the [analyzer] table of a fixture."""

    driver: str
    """A driver of `ANALYZERS`, of an entry point, or libsigrok's name of its driver."""
    connection: str
    """The device; "" is the first one found; "virtual" the virtual analyzer."""
    sample_rate_hz: int
    channels: int
    """The number of logic channels, D0 upwards."""
    stall_timeout_ps: int
    """The longest silence of a running analyzer before the capture counts as stalled."""
    options: Mapping[str, OptionValue]
    """Further options, by the driver's own names."""


@dataclass(frozen=True)
class FoundAnalyzer:
    """An analyzer that is there, as `rig doctor` reports it."""

    name: str
    state: str
    mend: str = ""
    """The remedy for what keeps it from working; "" if nothing does."""


class AnalyzerKind(Protocol):
    """A kind of analyzer, which opens those of its kind."""

    @property
    def datasheet(self) -> Datasheet | None:
        """The bounds of its errors by its maker; None if these are not known."""

    def open(
        self, settings: AnalyzerSettings, *, channel_mask: int, waits_for_host: bool
    ) -> Analyzer:
        """Open one, with the channels whose bits are in the mask.

        waits_for_host: its samples come no faster than the host takes them, so that none are lost.
        Raises BenchError with what is wrong and what to do about it.
        """

    def found(self) -> Iterable[FoundAnalyzer]:
        """Return the analyzers that are there; nothing is opened."""


@cache
def _places() -> Mapping[str, str]:
    """Return the places of other packages' kinds, by driver."""
    return {each.name: each.value for each in entry_points(group=GROUP)}


def own_drivers() -> tuple[str, ...]:
    """Return the drivers that are not libsigrok's, sorted."""
    return tuple(sorted({**_places(), **ANALYZERS}))


def analyzer_kind(driver: str) -> AnalyzerKind:
    """The kind that reads this driver's analyzers. Raises BenchError if it cannot be loaded."""
    place = ANALYZERS.get(driver) or _places().get(driver) or _LIBSIGROK
    module, _, name = place.partition(":")
    try:
        return cast("AnalyzerKind", getattr(import_module(module), name))
    except (ImportError, AttributeError) as error:
        raise BenchError(
            f"{driver}: {place}, which reads such analyzers, cannot be loaded ({error}); "
            "install its package again"
        ) from error


def datasheet_of(driver: str) -> Datasheet | None:
    """Return the data sheet of an analyzer that is not libsigrok's. Raises BenchError."""
    return analyzer_kind(driver).datasheet if driver in own_drivers() else None
