# SPDX-License-Identifier: GPL-3.0-or-later
"""All lies: who tells each, of which measurements, in which sizes, and why some stay uncaught."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rig.measurements.registry import SELF_MEASUREMENTS

DISPATCH, SELF, SATURATION = "interrupt_dispatch", "self_triggered", "saturation"
ENTERED = ("interrupt", "interrupt_to_task", SELF, SATURATION)
"""An answer's record says when its handler was entered."""
STIMULATED = (*ENTERED, DISPATCH)
LOADS = ("cpu", "io", "half", "copy", "network")
"""Loads of the agent that need no right to real-time priorities."""
VALUED = tuple(
    name for name, each in SELF_MEASUREMENTS.items() if not each.spins and not each.periodic
)
INSIDE = tuple(name for name, each in SELF_MEASUREMENTS.items() if not each.own_form)
"""Several tasks have no column of their own: what is on their pin is that of start_finish."""
ALL = (*ENTERED[:2], "period", *INSIDE, DISPATCH, SELF, SATURATION)


@dataclass(frozen=True)
class Lie:
    """One lie of sizes from `low` to `high`."""

    liar: str
    name: str
    title: str
    unit: str = ""
    """Of its size; "": it has none, it is told or not."""
    low: int = 1
    high: int = 1
    of: tuple[str, ...] = ALL
    """Measurements in which it has a meaning."""
    at_opening: bool = False
    """It is told once and for all when the bench is opened."""
    reason: str = ""
    """Why it cannot be caught, or not below some size."""


_SHARED = "a delay that all stamps share is a shift of the counter's zero, which no figure uses"
_BRACKET = (
    "within the time that the pin write may take by the log, and a sample. In `dispatch` that is "
    "all of the handler, and in `smi` most writes are not in the log"
)
_PIN_END = (
    "the pin shows when a value ended, nothing outside shows when it began: its length is the "
    "target's own word"
)
_ENTRY = (
    "entries decide only between late and merged, and no run of this table has either; no figure "
    "is made of them"
)
_BETWEEN = (
    "within the time between the edges of the handler's pin and the task's: how the handler's end, "
    "the dispatch and the task's way to its pin share it is the target's own word; the figure by "
    "pins is not made of it"
)
_IO = "The processes of `io` may all wait for a disk, and are not asked to use processor time"
_SAMPLES = "within the resolution of the samples and what the clocks may be apart"
_CAPTURE = (
    "the capture's constant has an uncertainty of its own, and a search compares only how many "
    "there are; the figures do not come from it"
)

AGENT = (
    Lie("agent", "all_stamps_late", "all stamps later", "ns", 1, 10**7, reason=_SHARED),
    Lie("agent", "answers_late", "stamps of all answers later", "ns", 1, 10**7, VALUED,
        reason="the same; values are not moved by it"),
    Lie("agent", "one_late", "one answer stamped later", "ns", 1, 10**6, reason=_BRACKET),
    Lie("agent", "one_early", "one answer stamped earlier", "ns", 1, 10**6, reason=_BRACKET),
    Lie("agent", "wide", "every pin write said to take longer, on both sides", "ns", 1, 10**7,
        reason="a wider bracket is a weaker witness, not a wrong figure; the agreement is stated "
               "with its width. In `dispatch` it is the handler's entry and exit that are moved, "
               "and with the exit the figure by ticks, as by `exits_late`"),
    Lie("agent", "scaled", "stamps by a counter that runs faster", "ppm", 1, 10**6,
        reason="two crystals may be so far apart; the rate is fitted and taken off. What is above "
               "1 U is the false log's own rounding to a tick"),
    Lie("agent", "rate", "declared rate of the counter too high", "ppm", 1, 10**6, ALL, True,
        reason="two crystals may be so far apart; the rate is fitted and taken off"),
    Lie("agent", "entry_late", "the handler said to be entered later", "ns", 1, 10**5,
        ENTERED, reason=_ENTRY),
    Lie("agent", "entry_early", "the handler said to be entered earlier", "ns", 1, 10**6,
        ENTERED, reason="no earlier than the stimulus that it answers; no figure is made of it"),
    Lie("agent", "dropped", "records left out", "records", 1, 50,
        reason="in `smi` the log has gaps, and marks between them for the clock: marks may go, a "
               "gap may not, and whether one was among these was chance"),
    Lie("agent", "duplicated", "records sent twice", "records", 1, 50),
    Lie("agent", "reordered", "two records exchanged, so far apart", "records", 1, 50),
    Lie("agent", "handled_off", "the log's count too high from one record on", "", 1, 1),
    Lie("agent", "handled_count", "the count in the end too high", "", 1, 1,
        reason="in `saturation` interrupts were lost, and so many more may have been handled "
               "behind the last record; no figure uses the count"),
    Lie("agent", "coalesced_false", "a record falsely says that it answers several", "", 1, 1,
        ENTERED),
    Lie("agent", "pin_not_written", "one answer logged, its pin never written", "", 1, 1),
    Lie("agent", "pin_twice", "the pin written twice, so far apart", "ns", 10, 10**5),
    Lie("agent", "pin_pulse", "three writes in place of one, so far apart", "ns", 10, 10**5,
        reason="pulses shorter than the glitch filter or a sample are counted as glitches, and no "
               "edge is moved"),
    Lie("agent", "pin_late", "one pin written later than logged", "ns", 1, 10**5, reason=_BRACKET),
    Lie("agent", "pin_early", "one pin written earlier than logged", "ns", 1, 10**5,
        reason=_BRACKET),
    Lie("agent", "values_scaled", "all values shorter", "ppm", 1, 900_000, VALUED,
        reason=_PIN_END),
    Lie("agent", "values_shifted", "all values shorter by a constant", "ns", 1, 10**5, VALUED,
        reason=_PIN_END),
    Lie("agent", "values_longer", "all values longer by a constant", "ns", 1, 10**6, VALUED,
        reason="no longer than since the pin was written before: within the pause between them, or "
               "by a clock of the system, until the value before"),
    Lie("agent", "values_clipped", "the largest values cut, of the spread", "percent", 1, 90,
        VALUED, reason=_PIN_END),
    Lie("agent", "one_value_shorter", "the largest value begins later", "ns", 1, 10**5, VALUED,
        reason=_PIN_END),
    Lie("agent", "one_value_ends_early", "the largest value ends earlier", "ns", 1, 10**5, VALUED,
        reason=_PIN_END),
    Lie("agent", "exits_late", "the handler said to end later", "ns", 1, 10**5, (DISPATCH,),
        reason=_BETWEEN),
    Lie("agent", "exits_early", "the handler said to end earlier", "ns", 1, 10**5, (DISPATCH,),
        reason=_BETWEEN),
    Lie("agent", "tasks_late", "the task said to go on later", "ns", 1, 10**5, (DISPATCH,),
        reason=_BETWEEN),
    Lie("agent", "tasks_early", "the task said to go on earlier", "ns", 1, 10**5, (DISPATCH,),
        reason=_BETWEEN),
    Lie("agent", "triggers_late", "stamps of all triggers later", "ns", 1, 10**5, (SELF,),
        reason=_BRACKET),
    Lie("agent", "triggers_early", "stamps of all triggers earlier", "ns", 1, 10**5, (SELF,),
        reason=_BRACKET),
    Lie("agent", "trigger_count", "more triggers counted than made", "", 1, 1, (SELF,)),
)  # fmt: skip

LOAD_LIES = (
    Lie(
        "agent",
        "load_asleep",
        "the load's processes are there, and sleep",
        of=LOADS,
        reason=_IO[0].lower() + _IO[1:],
    ),
    Lie(
        "agent",
        "load_short",
        "processes counted that were never started",
        "processes",
        1,
        99,
        LOADS,
        reason="how much a load does depends on the system: it is asked that it works, and "
        "shown how much of the processors' time its own processes used. " + _IO,
    ),
    Lie(
        "agent",
        "load_invented",
        "a load that sleeps, with processor time that nobody used",
        of=LOADS,
        reason="what keeps the target's processors busy only the target can tell",
    ),
)
"""In place of measurements they have loads: a load is started alike for all measurements."""

ANALYZER = (
    Lie("analyzer", "rate", "samples faster than it says", "ppm", 1, 10**6,
        reason="two crystals may be so far apart. The fixture states that this analyzer's clock is "
               "exact, and is taken at its word: U holds no tolerance of it"),
    Lie("analyzer", "rate_unstated", "the same, its fixture states nothing of its clock", "ppm", 1,
        10**6, at_opening=True,
        reason="two crystals may be so far apart; U holds what the other clocks leave open"),
    Lie("analyzer", "stretch", "its rate rises all the time", "ppb/s", 1, 10**9,
        reason="a drift that crystals have; U holds the time base's tolerance"),
    Lie("analyzer", "dropped", "samples dropped and nobody told", "samples", 1, 10**6,
        reason=_SAMPLES),
    Lie("analyzer", "repeated", "samples sent twice", "samples", 1, 10**6, reason=_SAMPLES),
    Lie("analyzer", "held", "takes one sample in so many and sends it that often", "samples", 2,
        1000, reason="with no clock in the run that drifts past the analyzer's by as much, edges "
                      "at multiples of so many samples may be the instruments' own"),
    Lie("analyzer", "response_late", "the response's channel late", "samples", 1, 10**5,
        reason="a delay that all answers share, within what is known of the bench's constants; "
               "where nothing outside shows when the target began (periods, values inside) and in "
               "a search no figure is moved by it"),
    Lie("analyzer", "stimulus_late", "the stimulus's channel late", "samples", 1, 10**5,
        STIMULATED,
        reason="a delay that all stimuli share, within what is known of the bench's constants; "
               "in a search no figure is moved by it"),
    Lie("analyzer", "sequence_late", "a sequence pin's channel late", "samples", 1, 10**5,
        reason="the sequence pins are read when the answer's edge has settled"),
    Lie("analyzer", "task_late", "the task's channel late", "samples", 1, 10**5, (DISPATCH,),
        reason="the fixture states that both channels are equally late, and is taken at its word; "
               "the log has the handler's entry and exit, and its pin may change anywhere "
               "between them"),
    Lie("analyzer", "response_jumps", "the response's channel late from one time on", "samples",
        1, 10**5, reason=_SAMPLES),
    Lie("analyzer", "swapped", "stimulus and response exchanged"),
    Lie("analyzer", "swapped_sequence", "response and sequence pin exchanged",
        reason="the lowest bit of the answer's number changes with each answer, as the response "
               "does: the two pins carry the same signal, and either tells the same times"),
    Lie("analyzer", "inverted", "the response's level inverted",
        reason="an answer is a change of level; which one is rising is used by no figure here"),
    Lie("analyzer", "stimulus_inverted", "the stimulus's level inverted", of=STIMULATED),
    Lie("analyzer", "stuck", "the response's channel keeps its level", "samples", 1, 10**6,
        reason="no edge was due while it was stuck: nothing was lost"),
    Lie("analyzer", "stimulus_stuck", "the stimulus's channel keeps its level", "samples", 1,
        10**6, STIMULATED, reason="no edge was due while it was stuck: nothing was lost"),
    Lie("analyzer", "glitch", "a pulse on the response's channel", "samples", 1, 10**5,
        reason="shorter than the plan's glitch filter: counted as a glitch, no edge is moved"),
    Lie("analyzer", "stimulus_glitch", "a pulse on the stimulus's channel", "samples", 1, 10**5,
        STIMULATED,
        reason="shorter than the plan's glitch filter: counted as a glitch, no edge is moved"),
)  # fmt: skip

_BY_FIRMWARE = ("interrupt", SATURATION)
"""Measurements in which firmware lies: the others with a train are evaluated by the same code."""
_FIRMWARE = (
    Lie("firmware", "more_pulses", "pulses more than asked for", "", of=STIMULATED),
    Lie("firmware", "fewer_pulses", "pulses fewer than asked for", "", of=STIMULATED),
    Lie("firmware", "fewer_pulses_hidden", "the same, counted as if sent", "", of=STIMULATED),
    Lie("firmware", "count_high", "counts one pulse more than it sent", "", of=STIMULATED),
    Lie("firmware", "count_low", "counts one pulse less than it sent", "", of=STIMULATED),
    Lie("firmware", "intervals_long", "every interval too long", "ticks", 1, 100, STIMULATED,
        reason="resonators are so far apart; latencies begin at the edge that the analyzer sees"),
    Lie("firmware", "one_late", "one pulse late and not reported", "ticks", 1, 1000, ("interrupt",),
        reason="within a sample and a tick; latencies begin at the edge that the analyzer sees"),
    Lie("firmware", "seed", "the train of another seed", "", of=("interrupt",)),
    Lie("firmware", "pulses_long", "pulses longer than asked for", "ticks", 1, 100, STIMULATED,
        reason="the latency begins at the leading edge; the pulse's end is used by no figure"),
    Lie("firmware", "polarity", "pulses of the other polarity", "", of=STIMULATED,
        reason="target and analyzer both take the rising edge for the interrupt: it is the pulse's "
               "other end"),
    Lie("firmware", "clock", "names another clock than it has", "ppm", 1, 500_000, STIMULATED),
    Lie("firmware", "captures_late", "stamps of all answers later", "ticks", 1, 10**5,
        STIMULATED, reason=_CAPTURE),
    Lie("firmware", "one_capture_late", "the stamp of one answer later", "ticks", 1, 10**4,
        STIMULATED, reason=_CAPTURE),
    Lie("firmware", "captures_scaled", "stamps by a faster clock", "ppm", 1, 10**5, STIMULATED,
        reason=_CAPTURE),
    Lie("firmware", "captures_dropped", "stamps of answers left out", "", of=STIMULATED),
)  # fmt: skip
FIRMWARE = tuple(
    replace(lie, at_opening=True, of=tuple(m for m in lie.of if m in _BY_FIRMWARE))
    for lie in _FIRMWARE
)
