# SPDX-License-Identifier: GPL-3.0-or-later
"""The words and rounded figures that every report shares."""

from __future__ import annotations

from rig.analysis.evaluate import Evaluation
from rig.analysis.pairing import Counts
from rig.analysis.statistics import as_dict
from rig.analysis.verdict import Verdict
from rig.session.results import Result

REASON_LIMIT = 12
VERDICT_WORDS = {
    Verdict.PASS: "all limits of the plan kept, all witnesses agree, nothing lost",
    Verdict.INCONCLUSIVE: "nothing speaks against it, but the proof is not whole",
    Verdict.FAIL: "a limit of the plan was exceeded",
    Verdict.INCONSISTENT: "the witnesses disagree: do not trust these figures",
    Verdict.INCOMPLETE: "data were lost: these figures do not cover all that happened",
}
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


def counts_table(counts: Counts) -> list[tuple[str, str]]:
    """Name and number of each class of event, also of those that did not occur."""
    return [
        ("stimuli", f"{counts.n:,}"),
        ("answered", f"{counts.answered:,}"),
        ("late", f"{counts.late:,}"),
        ("missed", f"{counts.missed:,}"),
        ("merged", f"{counts.merged:,}"),
        ("duplicate", f"{counts.duplicate:,}"),
        ("spurious", f"{counts.spurious:,}"),
        ("glitches", f"{counts.glitches:,}"),
    ]


def run_facts(result: Result) -> list[tuple[str, str]]:
    """What one must know of a run to read its figures."""
    settings, evaluation = result.settings, result.evaluation
    train = settings.train
    sample_ns = 1e9 / settings.sample_rate_hz
    return [
        ("started" if train else "analyzed", f"{result.created}, {result.state}"),
        (
            "stimulus",
            "not of this rig"
            if train is None
            else f"{train.pattern.name.lower()} train of {train.count}, seed {train.seed}",
        ),
        ("duration", f"{evaluation.duration_s:.3f} s, first to last stimulus edge"),
        (
            "resolution",
            f"{sample_ns:.1f} ns a sample, u = {sample_ns / 6**0.5:.1f} ns for a latency",
        ),
        ("paired by", evaluation.paired_by),
    ]
