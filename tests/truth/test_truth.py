# SPDX-License-Identifier: GPL-3.0-or-later
"""The rig's answer against a target whose every true latency is known, through the whole chain."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rig.analysis.model.events import EventClass
from tests.stored_events import events_of
from tests.truth.bench import (
    MISBEHAVIORS,
    MODELS,
    PATTERNS,
    Case,
    compare,
    expected_classes,
    measure,
)

SEEDS = 20
_NAMES = list(MISBEHAVIORS)


def full_matrix() -> list[Case]:
    """20 seeds x every model x every pattern at 24 and 100 MS/s; seeds rotate the misbehavior."""
    return [
        Case(seed, model, pattern, rate_mhz, _NAMES[seed % len(_NAMES)], sequence_bits=seed % 4)
        for seed, model, pattern, rate_mhz in product(range(SEEDS), MODELS, PATTERNS, (24, 100))
    ]


def small_matrix() -> list[Case]:
    """Every pair of model and pattern once; rate, misbehavior and pins rotate."""
    return [
        Case(
            1000 + i, model, pattern, (24, 100)[i % 2], _NAMES[i % len(_NAMES)], sequence_bits=i % 4
        )
        for i, (model, pattern) in enumerate(product(MODELS, PATTERNS))
    ]


@pytest.mark.parametrize(
    "case",
    # A third has every model and every pattern; the others take a minute.
    [
        pytest.param(case, marks=() if i % 3 == 0 else pytest.mark.slow)
        for i, case in enumerate(small_matrix())
    ],
    ids=str,
)
def test_small_matrix(case, tmp_path):
    compare(case, *measure(case, tmp_path))


@pytest.mark.parametrize(
    "case",
    [
        Case(2000, "normal", "poisson", 24, "late and merge", sequence_bits=0, count=150),
        Case(2001, "gamma", "ramp", 100, "late and merge", sequence_bits=3, count=100),
    ],
    ids=str,
)
def test_late_answers_beside_merged_interrupts(case, tmp_path):
    compare(case, *measure(case, tmp_path))


def test_without_entries_they_are_ambiguous_and_nothing_else_is_wrong(tmp_path):
    case = Case(2000, "normal", "poisson", 24, "late and merge", count=150, logs_entry=False)
    result, truth, _ = measure(case, tmp_path)
    kinds = events_of(result.path)["status"]
    decided = kinds != EventClass.AMBIGUOUS
    assert 0 < np.count_nonzero(~decided) == result.evaluation.counts.ambiguous < case.count / 2
    assert kinds[decided].tolist() == np.array(expected_classes(truth))[decided].tolist()
    assert any("ambiguous" in reason for reason in result.evaluation.reasons)


def usb_matrix() -> list[Case]:
    """20 seeds on the emulated FX2, at its fastest; models, patterns and misbehavior rotate."""
    models, patterns = list(MODELS), list(PATTERNS)
    return [
        Case(seed, models[seed % len(models)], patterns[seed % len(patterns)], 24,
             _NAMES[seed % len(_NAMES)], sequence_bits=seed % 4, driver="fx2lafw")
        for seed in range(3000, 3000 + SEEDS)
    ]  # fmt: skip


@pytest.mark.truth
@pytest.mark.parametrize("case", usb_matrix(), ids=str)
def test_through_usb(case, tmp_path):
    compare(case, *measure(case, tmp_path))


@pytest.mark.truth
@pytest.mark.parametrize("case", full_matrix(), ids=str)
def test_full_matrix(case, tmp_path):
    compare(case, *measure(case, tmp_path))
