# SPDX-License-Identifier: GPL-3.0-or-later
"""What a forger changes of a run file, in which sizes, and why what is not seen cannot be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from rig.instruments import LOG_COALESCED
from tests.forgeries import changes
from tests.forgeries.changes import AT
from tests.forgeries.forged import Forged

SAMPLES, TICKS, PPM = "samples", "ticks", "ppm"
STEPS = "steps of 125 ns"


@dataclass(frozen=True)
class Forgery:
    """One change. `unit` "": made or not."""

    name: str
    title: str
    change: Callable[[Forged, int], None]
    unit: str = ""
    low: int = 1
    high: int = 1
    reason: str = ""
    """Why not, or not below some size."""


@dataclass(frozen=True)
class Keys:
    """The same change of many stored values, each by itself."""

    name: str
    title: str
    keys: Callable[[Forged], list[str]]
    change: Callable[[Forged, str], None]
    reason: str = ""
    """Why not with those that are not seen."""


_NOT_COMPARED = "no figure is made of them, and nothing else in the file tells the same"
_WITHIN = "within the resolution of the samples and what the clocks may be apart"
_ONLY_WORD = "the plan alone says so, and the settings follow from it"

FORGERIES: dict[str, tuple[Forgery | Keys, ...]] = {
    "Settings and texts": (
        Keys(
            "settings", "the settings, each alone",
            lambda run: [*changes.leaves(run.settings)], changes.setting,
        ),
        Keys(
            "environment", "what host and instruments told, each with the settings that follow",
            changes.told_keys, changes.told,
            f"what measured is told once: {_NOT_COMPARED}; of rates, 1 Hz more, see below",
        ),
        Keys(
            "report", "the closing report, each alone", lambda run: [*changes.leaves(run.report)],
            changes.reported,
            "each would make the run worse, and most are not judged. Lost captures and late pulses "
            "that are hidden show in the edges and the captured answers",
        ),
        Keys(
            "attributes", "when and by which version it was measured",
            lambda _: ["created", "rig_version"], changes.attribute,
            "nothing in a run tells the date, or who wrote it",
        ),
        Forgery(
            "scenario", "the scenario, in the plan and the settings",
            partial(changes.text, "plan", 'scenario = "idle"', 'scenario = "cpu"'),
            reason=_ONLY_WORD,
        ),
        Forgery(
            "limit", "a limit that the plan had not",
            partial(changes.text, "plan", "[limits]", '[limits]\nmax_latency = "1 ms"'),
            reason=_ONLY_WORD,
        ),
        Forgery(
            "glitch_filter", "the glitch filter",
            partial(changes.text, "plan", '"200 ns"', '"100 ns"'), reason=_ONLY_WORD,
        ),
        Forgery(
            "seed", "the seed of the train", partial(changes.text, "plan", "seed = 1 ", "seed = 2 ")
        ),
        Forgery(
            "interval", "the train's longest interval",
            partial(changes.text, "plan", '"1.8 ms"', '"1.7 ms"'),
        ),
        Forgery(
            "polarity", "the pulses' polarity",
            partial(changes.text, "plan", '"positive"', '"negative"'),
        ),
        Forgery("fewer_planned", "fewer events planned", changes.fewer_planned, "events", 1, 399),
        Forgery(
            "fixture_title", "the fixture's title",
            partial(changes.text, "fixture", 'title = "', 'title = "Another '),
            reason="which bench it was, the fixture alone tells",
        ),
        Forgery(
            "calibration", "a calibration's text: a delay of the answer's wire",
            changes.calibration, "ns", 1, 100_000,
            "what a wire delays, the calibration tells, and the capture's constant to its "
            "uncertainty. Figures as measured stay, those with the bench's part taken off follow",
        ),
        Forgery(
            "swapped", "the wires of stimulus and response",
            changes.swapped,
        ),
        Forgery(
            "sequence_wire", "the channel of a sequence pin",
            partial(changes.text, "fixture", 'channel = "D4"', 'channel = "D5"'),
        ),
        Forgery(
            "sample_rate", "the analyzer's rate", partial(changes.rate, ("analyzer",)),
            PPM, 1, 1_000_000,
            "two crystals may be so far apart",
        ),
        Forgery(
            "stimulus_clock", "the stimulus's clock", partial(changes.rate, ("stimulus",)),
            PPM, 1, 1_000_000, _WITHIN,
        ),
        Forgery(
            "counter_rate", "the target's counter", partial(changes.rate, ("target",)),
            PPM, 1, 1_000_000, "two crystals may be so far apart",
        ),
        Forgery(
            "rates", "all three rates alike, and the plan's times", changes.rates,
            PPM, 1, 1_000_000,
            "clocks are compared with each other: nothing in the file knows the second",
        ),
        Forgery(
            "state", "`interrupted` for `complete`", changes.state,
            reason="a word about the end; what is missing then is judged by the counts",
        ),
    ),
    "Edges": (
        Forgery("level", "the level of one edge", changes.level),
        Forgery(
            "unused_level", "the level of a channel without edges", changes.unused_level,
            reason="no signal is on that channel",
        ),
        Forgery(
            "answer_late", "one answer later", partial(changes.edge_moved, "response", 1),
            SAMPLES, 1, 100_000, _WITHIN,
        ),
        Forgery(
            "answer_early", "one answer earlier", partial(changes.edge_moved, "response", -1),
            SAMPLES, 1, 1_000, _WITHIN,
        ),
        Forgery(
            "answers_late", "all answers later", partial(changes.edges_moved, ("response",), 1),
            SAMPLES, 1, 100_000, _WITHIN,
        ),
        Forgery(
            "answers_early", "all answers earlier", partial(changes.edges_moved, ("response",), -1),
            SAMPLES, 1, 100_000, _WITHIN,
        ),
        Forgery(
            "stimulus_late", "one edge of the stimulus later",
            partial(changes.edge_moved, "stimulus", 1), SAMPLES, 1, 200, _WITHIN,
        ),
        Forgery(
            "stimuli_late", "all pulses of the stimulus later",
            partial(changes.edges_moved, ("stimulus",), 1), SAMPLES, 1, 10_000, _WITHIN,
        ),
        Forgery(
            "pulses_longer", "all pulses of the stimulus longer", changes.pulses_longer,
            SAMPLES, 1, 1_000,
            "the latency begins at the leading edge; the pulse's end is used by no figure",
        ),
        Forgery(
            "sequence_late", "one edge of the lowest sequence pin later",
            changes.sequence_late,
            SAMPLES, 1, 10_000, "sequence pins are read when the answer's edge has settled",
        ),
        Forgery(
            "answer_removed", "one answer's edge removed",
            partial(changes.without_edge, "response"),
        ),
        Forgery(
            "stimulus_removed", "one edge of the stimulus removed",
            partial(changes.without_edge, "stimulus"),
        ),
        Forgery(
            "answer_added", "a pulse of the response added",
            partial(changes.pulse_added, "response"),
            SAMPLES, 1, 1_000,
            "shorter than the plan's glitch filter: counted as a glitch, no edge is moved",
        ),
        Forgery(
            "stimulus_added", "a pulse of the stimulus added",
            partial(changes.pulse_added, "stimulus"),
            SAMPLES, 1, 1_000,
            "shorter than the plan's glitch filter: counted as a glitch, no edge is moved",
        ),
        Forgery(
            "samples_removed", "samples lost in the middle, and no loss told",
            changes.samples_removed,
            SAMPLES, 1, 100_000, _WITHIN,
        ),
        Forgery(
            "cut", "the end of the capture cut off", changes.cut, SAMPLES, 1, 10_000_000,
            "no edge is in it, as the last answer came long before the end",
        ),
        Forgery("loss", "a loss that was none", changes.loss_added),
    ),
    "Log and input capture": (
        Forgery(
            "stamp_late", "stamps of one record later", partial(changes.stamps, AT),
            TICKS, 1, 100_000, _WITHIN,
        ),
        Forgery(
            "stamps_late", "stamps of all records later", partial(changes.stamps, slice(None)),
            TICKS, 1, 1_000_000_000, "another zero of the target's counter, which is not known",
        ),
        Forgery(
            "stamps_scaled", "stamps of a faster counter", changes.stamps_scaled, PPM, 1, 1_000_000,
            "two crystals may be so far apart",
        ),
        Forgery(
            "stamp_wide", "the time of one pin write longer", changes.wide, TICKS, 1, 100_000_000,
            "a wider bracket is a weaker witness, not a wrong figure; not beyond the next record",
        ),
        Forgery(
            "entry_late", "a handler's entry later", partial(changes.entry, 1), TICKS, 1, 4_000,
            "entries decide only between late and merged; no figure is made of them",
        ),
        Forgery(
            "entry_early", "a handler's entry earlier", partial(changes.entry, -1),
            TICKS, 1, 1_000_000,
            "no earlier than the stimulus that it answers; no figure is made of it",
        ),
        Forgery("sequence", "the number of a record", partial(changes.field, "sequence")),
        Forgery("handled", "the handler's count in a record", partial(changes.field, "handled")),
        Forgery(
            "coalesced", "a flag of coalesced interrupts", partial(changes.flag, LOG_COALESCED)
        ),
        Forgery(
            "flag", "a flag that has no meaning", partial(changes.flag, 1 << 20),
            reason="nothing reads it",
        ),
        Forgery("record_removed", "a record removed", changes.without_record),
        Forgery(
            "capture_late", "one captured answer later", partial(changes.captured, AT),
            TICKS, 1, 10_000,
            "the capture's constant has an uncertainty of its own; the figures do not come from it",
        ),
        Forgery(
            "captures_late", "all captured answers later", partial(changes.captured, slice(None)),
            TICKS, 1, 10_000,
            "the capture's constant has an uncertainty of its own; the figures do not come from it",
        ),
        Forgery(
            "captures_scaled", "captured answers by a faster clock", changes.captures_scaled,
            PPM, 1, 100_000,
            "the capture's constant has an uncertainty of its own; the figures do not come from it",
        ),
        Forgery("capture_removed", "a captured answer removed", changes.without_capture),
    ),
    "All parts together": (
        Forgery(
            "latency", "one answer earlier in edges, log and capture",
            partial(changes.answers_together, slice(AT, AT + 1), -1), STEPS, 1, 300,
            "all that saw the answer say the same; not before its handler's entry",
        ),
        Forgery(
            "latency_longer", "one answer later in edges, log and capture",
            partial(changes.answers_together, slice(AT, AT + 1), 1), STEPS, 1, 700,
            "all that saw the answer say the same",
        ),
        Forgery(
            "latencies", "all answers later in edges, log and capture",
            partial(changes.answers_together, slice(None), 1), STEPS, 1, 700,
            "all that saw the answers say the same",
        ),
        Forgery(
            "last_removed", "the last events out of every part, the counts with them",
            changes.last_removed, "events", 1, 300,
            "a shorter run, as it would have been",
        ),
    ),
}  # fmt: skip
"""By what is changed."""
