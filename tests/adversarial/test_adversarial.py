# SPDX-License-Identifier: GPL-3.0-or-later
"""No random run passes with a wrong figure, and no healthy one is accused."""

from __future__ import annotations

import pytest

from tests.adversarial.__main__ import judgments

SEED = 20_260


def test_healthy_runs_pass_with_true_figures():
    found = list(judgments(SEED, range(3), healthy=True, jobs=1))
    assert [(each.verdict, each.errors) for each in found] == [("pass", ())] * 3


def test_false_and_misbehaving_benches_do_not_pass_with_wrong_figures():
    found = list(judgments(SEED, range(4), healthy=False, jobs=1))
    assert [each for each in found if each.wrong] == []
    assert any(each.verdict == "inconsistent" for each in found)


@pytest.mark.truth
def test_500_false_and_misbehaving_benches_do_not_pass_with_wrong_figures():
    found = judgments(SEED, range(500), healthy=False, jobs=2)
    assert [each for each in found if each.wrong] == []


@pytest.mark.truth
def test_500_healthy_runs_pass_with_true_figures():
    found = list(judgments(SEED, range(500), healthy=True, jobs=2))
    assert [(each.number, each.reason) for each in found if each.verdict != "pass"] == []
    covered = [one for each in found for one in each.covered]
    assert sum(covered) >= 0.95 * len(covered)
