# SPDX-License-Identifier: GPL-3.0-or-later
"""The words and rounded figures that every report shares."""

from __future__ import annotations

from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.events import Counts
from rig.analysis.model.rate_search import RateSearch
from rig.analysis.model.settings import Settings
from rig.analysis.model.sources import Schedule, SelfMeasured, SelfTriggers
from rig.analysis.statistics.descriptive import as_dict
from rig.analysis.uncertainty.budget import Judgment
from rig.config.units import TIME
from rig.measurements.registry import measurement_of
from rig.report.calibration_words import calibration_facts
from rig.session.results import NO_DIGESTS, Result
from rig.stimulus.train import Train

REASON_LIMIT = 12
EXCEEDED = "EXCEEDED"
"""Of a limit."""
VERDICT_WORDS = {
    Verdict.PASS: "all limits of the plan kept, all witnesses agree, nothing lost",
    Verdict.INCONCLUSIVE: "nothing speaks against it, but the proof is not whole",
    Verdict.FAIL: "a limit of the plan was exceeded",
    Verdict.INCONSISTENT: "the witnesses disagree: do not trust these figures",
    Verdict.INCOMPLETE: "data were lost: these figures do not cover all that happened",
}
_JUDGMENTS = {
    Judgment.KEPT: "kept",
    Judgment.EXCEEDED: EXCEEDED,
    Judgment.CANNOT_TELL: "cannot tell",
}
_STATE_WORDS = {
    "running": "without an end: still going on, or its process was killed",
    "recovered": "recovered, without its end",
}
HELD_NS = 1_000_000
"""A wait of the driver that is worth a word."""
_FIGURES = (
    ("average_ns", "average"),
    ("min_ns", "min"),
    ("max_ns", "max"),
    ("gap_ns", "gap"),
    ("deviation_ns", "deviation"),
    ("median_ns", "median"),
    ("interquartile_range_ns", "IQR"),
    ("p99_ns", "p99"),
    ("p99_9_ns", "p99.9"),
)


def figure_rows(evaluation: Evaluation) -> list[tuple[str, str]]:
    """Name and value in microseconds of each figure; n first."""
    figures = as_dict(evaluation.figures)
    rows = [("n", str(evaluation.figures.n))]
    for key, name in _FIGURES:
        value = figures[key]
        rows.append((name, "-" if value is None else f"{value / 1e3:.3f}"))
    return rows


def limit_rows(evaluation: Evaluation) -> list[tuple[str, str, str, str]]:
    """What came of each limit of the plan, its name, what was found, and what is allowed."""
    return [
        (_JUDGMENTS[each.judgment], each.title, each.found, each.allowed)
        for each in evaluation.limits
    ]


def counts_table(counts: Counts, events: str = "stimuli") -> list[tuple[str, str]]:
    """Name and number of each class of event, also of those that did not occur."""
    return [
        (events, f"{counts.n:,}"),
        ("answered", f"{counts.answered:,}"),
        ("late", f"{counts.late:,}"),
        ("missed", f"{counts.missed:,}"),
        ("merged", f"{counts.merged:,}"),
        ("ambiguous", f"{counts.ambiguous:,}"),
        ("duplicate", f"{counts.duplicate:,}"),
        ("spurious", f"{counts.spurious:,}"),
        ("glitches", f"{counts.glitches:,}"),
    ]


def measurement_words(name: str) -> str:
    """A measurement's name as it is written in text, with hyphens."""
    return name.replace("_", "-")


def title_of(settings: Settings) -> str:
    """What was measured under what load, without a capital."""
    return f"{measurement_of(settings.measurement).title}, scenario {settings.scenario}"


def load_of(settings: Settings) -> str:
    """What the target had to do meanwhile; the scenario of a capture by hand is only its name."""
    return "not known" if settings.planned is None else settings.scenario


def events_of(settings: Settings) -> str:
    """What the run's events are called."""
    if settings.is_self_measured:
        return "values"
    return "stimuli" if settings.schedule is None else "periods"


def run_facts(result: Result) -> list[tuple[str, str]]:
    """What one must know of a run to read its figures."""
    settings, evaluation = result.settings, result.evaluation
    sample_ns = 1e9 / settings.sample_rate_hz
    return [
        (
            "analyzed" if settings.planned is None else "started",
            f"{result.created}, {_STATE_WORDS.get(result.state, result.state)}",
        ),
        *_record(result),
        *([] if result.has_digests else [("digests", NO_DIGESTS)]),
        _cause(settings),
        *_agent(settings),
        ("duration", f"{evaluation.duration_s:.3f} s, first to last {_edge(settings)}"),
        (
            "resolution",
            f"{sample_ns:.1f} ns a sample, u = {sample_ns / 6**0.5:.1f} ns for a latency",
        ),
        ("paired by", evaluation.paired_by),
        *_throttled(result),
        *_backlog(result),
        *calibration_facts(result),
    ]


def _cause(settings: Settings) -> tuple[str, str]:
    """What made the events."""
    match settings.source:
        case SelfMeasured(count):
            return "values", f"{count}, measured inside the target"
        case Schedule(period_ns, count):
            period = TIME.format(period_ns * 1000)
            return "periods", f"{count} of {period}, by the target's own clock"
        case SelfTriggers(period_ns, count):
            period = TIME.format(period_ns * 1000)
            return "stimulus", f"{count} every {period}, by the target itself"
        case RateSearch() as search:
            ticks = search.first_ticks, search.least_ticks
            rates = [settings.stimulus_clock_hz / each for each in ticks]
            rising = f"rising from {rates[0]:,.0f}/s to {rates[1]:,.0f}/s at most"
            return "stimulus", f"trains of {search.count}, {rising}"
        case Train() as train:
            kind = train.shape.name
            return "stimulus", f"{kind} train of {train.count}, seed {train.seed}"
        case None:
            return "stimulus", "not of this rig"


def _agent(settings: Settings) -> list[tuple[str, str]]:
    """What the plan asked of the agent."""
    told = ("period_ns", "count", "self_trigger")
    words = {k: v for k, v in settings.agent.items() if k not in told}
    return [("agent", ", ".join(f"{k} {v}" for k, v in words.items()))] if words else []


def _edge(settings: Settings) -> str:
    if settings.is_self_measured:
        return "value"
    return "stimulus edge" if settings.schedule is None else "answer"


def _throttled(result: Result) -> list[tuple[str, str]]:
    """The target could not serve its interrupts and anything else beside."""
    times = result.account.throttled
    if not times:
        return []
    text = f"the target held interrupts up {times:,} times, so that others could run"
    return [("overload", text)]


def _backlog(result: Result) -> list[tuple[str, str]]:
    """High-water mark of what waited between driver and run file."""
    account = result.account
    if account.backlog_max_ns is None:
        return []
    text = (
        f"at most {account.backlog_max_ns / 1e6:.1f} ms, at sample {account.backlog_max_sample:,}"
    )
    if account.driver_held_ns >= HELD_NS:
        text += f"; the driver had to wait {account.driver_held_ns / 1e6:.1f} ms"
    return [("backlog", text)]


def _record(result: Result) -> list[tuple[str, str]]:
    """How far the record goes, how much of the plan is in it, and what a killed run lacks."""
    if result.samples is None:
        return []
    end_s = result.samples / result.settings.sample_rate_hz
    planned, seen = result.settings.planned, result.evaluation.counts.n
    if planned is None or (result.state == "complete" and seen >= planned):
        return [("record", f"whole, {result.samples:,} samples ({end_s:.3f} s)")]
    facts = [
        (
            "record",
            f"stops at sample {result.samples:,} ({end_s:.3f} s after its start): {seen:,} of "
            f"{planned:,} planned {events_of(result.settings)} are in it",
        )
    ]
    if result.state in _STATE_WORDS:
        facts.append(
            (
                "missing",
                "at most the last 0.5 s before a kill, and what the instruments tell at the end",
            )
        )
    return facts
