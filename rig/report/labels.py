# SPDX-License-Identifier: GPL-3.0-or-later
"""Words and rows that all reports share."""

from __future__ import annotations

from typing import Final

from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.events import Counts
from rig.analysis.model.settings import Settings
from rig.analysis.statistics.descriptive import as_dict
from rig.analysis.uncertainty.budget import Judgment
from rig.document import Conclusion, Fact, Tone, Toned
from rig.formatting import count, microseconds
from rig.limit_names import TITLES
from rig.measurements.registry import measurement_of

EXCEEDED: Final = "EXCEEDED"
"""Word for a limit that is exceeded."""
_MEANINGS: Final = {
    Verdict.PASS: "all limits of the plan kept, all witnesses agree, nothing lost",
    Verdict.INCONCLUSIVE: "nothing speaks against it, but the proof is not whole",
    Verdict.FAIL: "a limit of the plan was exceeded",
    Verdict.INCONSISTENT: "the witnesses disagree: do not trust these figures",
    Verdict.INCOMPLETE: "data were lost: these figures do not cover all that happened",
}
_TONES: Final = {Verdict.PASS: Tone.GOOD, Verdict.INCONCLUSIVE: Tone.WARN}
_JUDGMENTS: Final = {
    Judgment.KEPT: Toned("kept", Tone.GOOD),
    Judgment.EXCEEDED: Toned(EXCEEDED, Tone.BAD),
    Judgment.CANNOT_TELL: Toned("cannot tell", Tone.WARN),
}
_GRAVE: Final = ("missed", "duplicate", "spurious")
"""Classes of events that should not be at all; others that should not be are only worse."""
_HARMLESS: Final = ("n", "answered")


def conclusion(evaluation: Evaluation) -> Conclusion:
    """Return the verdict with what it means."""
    verdict = evaluation.verdict
    tone = _TONES.get(verdict, Tone.BAD)
    return Conclusion(str(verdict), tone, _MEANINGS[verdict], evaluation.reasons)


def figure_rows(evaluation: Evaluation) -> tuple[Fact, ...]:
    """Return name and value in microseconds of each figure; n first."""
    times = as_dict(evaluation.figures).items()
    shown = (Fact(TITLES[name], microseconds(value)) for name, value in times if name in TITLES)
    return (Fact("n", count(evaluation.figures.n)), *shown)


def judgments(evaluation: Evaluation) -> tuple[tuple[str, str, str], ...]:
    """Return each limit of the plan: judgment, name, and text of what was found and is allowed."""
    return tuple((_JUDGMENTS[each.judgment], each.title, each.text) for each in evaluation.limits)


def count_rows(settings: Settings, counts: Counts) -> tuple[Fact, ...]:
    """Return name and number of each class of event, also of those that did not occur."""
    measurement = measurement_of(settings.measurement)
    names = (
        "n", "answered", "late", "missed", "merged", "ambiguous", "duplicate", "spurious",
        "glitches",
    )  # fmt: skip

    def toned(name: str) -> str:
        number: int = getattr(counts, name)
        if not number or name in (*_HARMLESS, *measurement.counts_not_limited):
            return f"{number:,}"
        return Toned(f"{number:,}", Tone.BAD if name in _GRAVE else Tone.WARN)

    return tuple(Fact(measurement.events if name == "n" else name, toned(name)) for name in names)


def measurement_title(name: str) -> str:
    """Return a measurement's name as it is written in text, with hyphens."""
    return name.replace("_", "-")


def title_of(settings: Settings) -> str:
    """Return what was measured under what load, or in what file, without a capital."""
    title = measurement_of(settings.measurement).title
    kind = "" if settings.planned is None else "scenario "
    return f"{title}, {kind}{settings.scenario}"


def load_of(settings: Settings) -> str:
    """Return the load on the target; the scenario of a capture by hand is only its name."""
    return "not known" if settings.planned is None else settings.scenario
