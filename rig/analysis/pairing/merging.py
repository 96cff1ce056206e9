# SPDX-License-Identifier: GPL-3.0-or-later
"""The number of interrupts of a run that were merged before each answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.constants import PathDelay
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Settings
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.deficits import MergeProfile
from rig.analysis.pairing.handler_count import HandlerCountSource
from rig.analysis.pairing.handler_entries import HandlerEntries
from rig.analysis.signals.decoder import Observation
from rig.analysis.signals.stretches import Stretches
from rig.instruments import Int64Array


def counted_stretches(
    stretches: Iterable[Observation], source: HandlerCountSource
) -> Iterator[tuple[Observation, Int64Array | None]]:
    """Yield what the capture shows, stretch by stretch, and the handler counts of its answers."""
    counts_of = source.feeder()
    first = 0
    for seen in stretches:
        yield seen, counts_of(first, seen)
        first += len(seen.response)


def merge_profile(
    stretches: Stretches,
    settings: Settings,
    account: InstrumentCounts,
    source: HandlerCountSource,
    agreement: ClockAgreement | None,
    path: PathDelay,
) -> tuple[MergeProfile, tuple[Witness, ...]]:
    """Return the profile of a run, and a witness that disagrees where it contradicts itself.

    Where no interrupt can have been merged the edges alone decide; else the times at which handlers
    were entered are used, if the log has them. `path`: what is known of the response's delay
    less the stimulus's.
    """
    handled = account.handled if source.by_log else None
    profile = MergeProfile()
    for seen, counts in counted_stretches(stretches, source):
        profile.feed(seen.stimulus, seen.response, counts)
    profile.finish(handled)
    entries = None
    if profile.merges and source.by_log:
        entries = HandlerEntries.of(source.log, settings, agreement, path)
    if entries is None:
        return profile, ()
    finer, first = MergeProfile(), 0
    for seen, counts in counted_stretches(stretches, source):
        entered = entries.entered(first, seen.response)
        finer.feed(seen.stimulus, seen.response, counts, entered)
        first += len(seen.response)
    finer.finish(handled)
    if not finer.contradictions:
        return finer, ()
    text = f"{finer.contradictions:,} handlers entered before the stimuli that they answer"
    return profile, (Witness("handler's entry", False, text),)
