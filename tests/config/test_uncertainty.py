# SPDX-License-Identifier: GPL-3.0-or-later
"""The [uncertainty] table, and the bench that it makes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rig.analysis.uncertainty.error_model import latency_budget
from rig.config.fixture import load_fixture, parse_fixture
from rig.config.uncertainty import EdgeShape, LineDelay, UncertaintySettings
from rig.errors import InputError
from rig.resources import find_fixture
from rig.session.run_error_model import bench_of

ROOT = Path(__file__).parents[2]
HARDWARE = find_fixture("parallel-port-fx2").read_text()
RATE_HZ = 24_000_000
TABLE = re.search(
    r"```\n(\[uncertainty\].*?)```",
    (ROOT / "docs/explanation/uncertainty.md").read_text(),
    re.DOTALL,
).group(1)


def fixture(table=""):
    return parse_fixture(f"{HARDWARE}\n{table}", "bench.toml")


def test_the_documents_example():
    assert fixture(TABLE).uncertainty == UncertaintySettings(
        time_base_ppb=20_000,
        channel_skew_ps=2_000,
        edges=EdgeShape(12_000, 8_000, 28, 40),
        line=LineDelay(5_000, 1_000),
    )


def test_nothing_is_known_unless_told():
    assert fixture().uncertainty == UncertaintySettings()
    assert load_fixture("virtual").uncertainty == UncertaintySettings()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("time_base = 5", r"time_base: unknown key \(did you mean time_base_ppb\?\)"),
        ("time_base_ppb = -1", "time_base_ppb"),
        ("time_base_ppb = 1.5", "time_base_ppb"),
        ('channel_skew = "2 V"', "channel_skew"),
        ('line_delay = "2 ns"', "line_delay_tolerance"),
        ('stimulus_rise = "2 ns"', "threshold_low_percent"),
        (
            'stimulus_rise = "2 ns"\nresponse_rise = "2 ns"\nthreshold_low_percent = 60\n'
            "threshold_high_percent = 40",
            "threshold_high_percent: .*valid: an integer from 60 to 100",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(line, words):
    with pytest.raises(InputError, match=rf"bench\.toml:\d+: \[uncertainty\] {words}"):
        fixture(f"[uncertainty]\n{line}")


def test_the_fixture_goes_before_the_maker():
    maker = bench_of(fixture(), "fx2lafw", RATE_HZ)
    assert maker.time_base_ppm.standard_uncertainty == pytest.approx(100 / 3**0.5)
    assert maker.skew_ns is None
    told = bench_of(fixture(TABLE), "fx2lafw", RATE_HZ)
    assert told.time_base_ppm.standard_uncertainty == pytest.approx(20 / 3**0.5)
    budget = latency_budget("one", 1e6, told)
    assert [u.name for u in budget.unknown] == ["agent's pin write"]
    # 1 m more of wire, and a threshold 0.16 of the swing below the middle of a faster edge.
    assert budget.correction == pytest.approx(-5.0 - (8 - 12) / 0.8 * -0.16)


def test_saleae_says_more_of_its_analyzers():
    bench = bench_of(None, "saleae-logic-pro", RATE_HZ)
    assert bench.time_base_ppm.standard_uncertainty == pytest.approx(50 / 3**0.5)
    assert bench.skew_ns.standard_uncertainty == pytest.approx(1e9 / RATE_HZ / 3**0.5)
    assert bench_of(None, "dreamsourcelab-dslogic", RATE_HZ).time_base_ppm is None


def test_a_virtual_bench_is_known_but_for_its_log():
    budget = latency_budget("one", 1e6, bench_of(load_fixture("virtual"), "beaglelogic", RATE_HZ))
    assert [u.name for u in budget.unknown] == ["agent's pin write"]
