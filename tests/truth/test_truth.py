# SPDX-License-Identifier: GPL-3.0-or-later
"""The rig's answer against a target whose every true latency is known, through the whole chain."""

from __future__ import annotations

from itertools import product

import pytest

from tests.truth.bench import MISBEHAVIORS, MODELS, PATTERNS, Case, compare, measure

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
        Case(1000 + i, model, pattern, (24, 100)[i % 2], _NAMES[i % 7], sequence_bits=i % 4)
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


@pytest.mark.truth
@pytest.mark.parametrize("case", full_matrix(), ids=str)
def test_full_matrix(case, tmp_path):
    compare(case, *measure(case, tmp_path))
