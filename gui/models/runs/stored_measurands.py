# SPDX-License-Identifier: GPL-3.0-or-later
"""All that a run measured, back from the JSON in which its file holds it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gui.models.runs.stored_beyond import MAX, Figured, stored_budget, stored_contribution
from rig.analysis.inference.extended import Beyond
from rig.analysis.statistics.descriptive import ExactHistogram, Statistics
from rig.analysis.uncertainty.contribution import Unknown
from rig.analysis.uncertainty.effects import Effects
from rig.analysis.uncertainty.measurand import Measurand
from rig.limit_names import LATENCY
from rig.measurements.registry import MEASURANDS
from rig.untrusted.decode import decoded

Stored = dict[str, Any]


def stored_measurands(
    stored: Stored, figures: Statistics, beyond: Beyond | None, seen: ExactHistogram
) -> tuple[Measurand, ...]:
    """What the run was made for first; empty if not all of it came back."""
    effects = stored.get("effects")
    if beyond is None or effects is None:
        return ()
    try:
        latency = Measurand(
            LATENCY, beyond.sample_ns, figures, beyond.figures, _effects(effects), seen,
            dict(beyond.budgets),
        )  # fmt: skip
        return latency, *_further(stored.get("further", {}))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return ()


def _further(stored: Stored) -> Iterator[Measurand]:
    """Their histograms are not stored: whatever needs them computes the run again."""
    for name in sorted(stored, key=MEASURANDS.index):
        one = stored[name]
        unit_ns, budgets, said = one["unit_ns"], one["uncertainty"], one["statistics"]
        yield Measurand(
            name,
            unit_ns,
            decoded(Statistics, one["figures"], ignore_unknown=True),
            None if said is None else Figured(unit_ns).figures(said),
            _effects(one["effects"]),
            ExactHistogram(),
            {key: stored_budget(budgets[key]) for key in sorted(budgets, key=lambda k: k != MAX)},
        )


def _effects(stored: Stored) -> Effects:
    scales = [stored_contribution(each) for each in stored["scales"]]
    return Effects(
        resolution_ns=stored["resolution_ns"],
        offsets=tuple(map(stored_contribution, stored["offsets"])),
        scales=tuple((each.name, each.quantity) for each in scales),
        unknown_offsets=tuple(map(_unknown, stored["unknown_offsets"])),
        unknown_scales=tuple(map(_unknown, stored["unknown_scales"])),
        reach_ns=stored["reach_ns"],
    )


def _unknown(stored: Stored) -> Unknown:
    return Unknown(stored["name"], stored["remedy"])
