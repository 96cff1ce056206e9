# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of the events with their evidence, witnesses, and lost samples."""

from __future__ import annotations

from rig.analysis.log.contingency import Evidence
from rig.document import Checks, Note, Section, TextTable, Tone, Toned, Values, section
from rig.formatting import count
from rig.report.labels import count_rows
from rig.session.results import Result

_AGREE = {
    True: Toned("agree", Tone.GOOD),
    False: Toned("DIFFER", Tone.BAD),
    None: "",
}


def events(result: Result) -> tuple[Section, ...]:
    """Return each class with its number and, of a train, with its evidence."""
    evaluation = result.evaluation
    rows = tuple(_row(each) for each in evaluation.evidence)
    return section(
        "events",
        "Events",
        Values(count_rows(result.settings, evaluation.counts), inline=True),
        TextTable(("class", "edges", "log, firmware", "", "evidence"), rows, range(1, 3)),
    )


def _row(found: Evidence) -> tuple[str, ...]:
    numbers = ("" if each is None else count(each) for each in (found.external, found.internal))
    return (found.name, *numbers, _AGREE[found.agrees], found.text)


def witnesses(result: Result) -> tuple[Section, ...]:
    """Return each comparison of the verdict."""
    rows = tuple(
        (
            Toned("agree", Tone.GOOD) if each.agrees else Toned("DISAGREE", Tone.BAD),
            each.name,
            each.text,
        )
        for each in result.evaluation.witnesses
    )
    none = Note("" if rows else "None: nothing but the capture itself is there.")
    return section("witnesses", "Witnesses", Checks(rows), none)


def loss(result: Result) -> tuple[Section, ...]:
    """Return the signs of lost samples, found by the instruments or by the train."""
    rows = [(kind, count(sample), text) for kind, sample, text in result.losses]
    for gap in result.evaluation.gaps:
        text = "unknown length"
        if gap.missing_samples is not None:
            text = f"about {gap.missing_samples:,} samples, {gap.swallowed:,} stimuli"
        rows.append(("sequence gap", count(gap.first_sample), text))
    none = Note("" if rows else "No sign of lost samples.")
    table = TextTable(("sign", "at sample", "what"), tuple(rows), range(1, 2))
    return section("loss", "Loss", table, none)
