# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots: the numbers behind them, and that each is a part of a page as it should be."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rig.analysis.measurements.clock_stability import ClockStability
from rig.plots.agreement import agreement_svg, thinned
from rig.plots.allan import allan_svg
from rig.plots.brackets import brackets_svg
from rig.plots.canvas import VARIABLES
from rig.plots.folded import folded_svg
from rig.plots.histogram import BINS, binned, histogram_svg
from rig.plots.overlay import LatencyCurve, overlay_svg
from rig.plots.pairs import FigurePairs, pairs_svg
from rig.plots.tail import POINTS, exceedances, interval, steps, tail_svg
from rig.plots.timeline import LatencyStretches, MarkedEvent, timeline_svg
from rig.plots.waveform import Trace, waveform_svg

RNG = np.random.default_rng(1)
LATENCY = (72 + RNG.gamma(3.0, 12.0, 5000)).astype(np.int64)
VALUES, COUNTS = np.unique(LATENCY, return_counts=True)
SAMPLE_NS = 1e9 / 24e6
TIME = np.sort(RNG.random(500))


def _plots():
    edges = np.array([0.0, 10.0])
    stretches = LatencyStretches(
        np.array([0.0, 1, 2, 3]), np.array([4, 5, np.nan]), np.array([6, 9, np.nan])
    )
    outliers = [
        MarkedEvent(0.5, 9.0, "1"),
        MarkedEvent(1.5, None, "2"),
        MarkedEvent(2.5, 6.0, "", grave=False),
        MarkedEvent(2.6, None, ""),
    ]
    traces = [Trace("stimulus", edges, 0), Trace("response", np.array([7.5]), 1)]
    late = np.where(np.arange(500) == 7, 5.0, -1.0)
    return {
        "histogram": histogram_svg(VALUES, COUNTS, SAMPLE_NS, average_us=4.5, limit_us=8.0),
        "tail": tail_svg(VALUES, COUNTS, SAMPLE_NS, limit_us=8.0),
        "timeline": timeline_svg(stretches, outliers, limit_us=7.0),
        "waveform": waveform_svg("waveform1", "event <1>", traces, -2.0, 12.0, 7.5),
        "missed": waveform_svg("waveform2", "event 2", traces, -2.0, 12.0, None),
        "agreement": agreement_svg(TIME, TIME + 0.3, first_name="analyzer", second_name="log",
                                   offset_ns=300.0, allowed_ns=50.0),
        "brackets": brackets_svg(TIME, late, np.full(500, 20.0)),
        "allan": allan_svg([
            ClockStability("a against <b>", (0.1, 1.0), (1e-7, 2e-9), (1e-7, 1e-8)),
            ClockStability("c against b", (0.1,), (1e-8,), (1e-9,)),
        ]),
        "phase": folded_svg([1.0, 2.0], [3.0, float("nan")], 4000.0),
        "overlay": overlay_svg([LatencyCurve("a <b>", VALUES, COUNTS, SAMPLE_NS),
                                LatencyCurve("c", VALUES * 90, COUNTS, SAMPLE_NS)]),
    }  # fmt: skip


NAMES = (
    "histogram", "tail", "timeline", "waveform", "missed", "agreement", "brackets", "allan",
    "phase", "overlay",
)  # fmt: skip


@pytest.fixture(scope="module")
def plots():
    """Not drawn when the module is imported: each worker imports it, and one runs its tests."""
    drawn = _plots()
    assert tuple(drawn) == NAMES
    return drawn


@pytest.mark.parametrize("name", NAMES)
def test_a_plot_is_a_part_of_a_page(plots, name):
    """Well formed, one viewBox and no size, a title, unique ids, and the page's colors only."""
    text = plots[name]
    root = ET.fromstring(text)  # noqa: S314 - made here
    assert root.tag == "svg"
    assert "viewBox" in root.attrib
    assert not {"width", "height"} & set(root.attrib)
    assert root.findtext("title")
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(set(ids)) == len(ids)
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', text))
    assert used <= set(ids)
    assert not re.findall(r"#[0-9a-fA-F]{3,6}\b(?=[;\"])", text)
    assert set(re.findall(r"var\(--(\w+)\)", text)) <= set(VARIABLES.values())
    assert "font-family" not in text
    assert "http" not in text


def test_ids_of_different_plots_differ(plots):
    ids = [re.findall(r' id="([^"]+)"', text) for text in plots.values()]
    assert len({i for each in ids for i in each}) == sum(map(len, ids))


def test_the_same_data_give_the_same_bytes(plots):
    assert _plots() == plots


def test_the_worst_value_is_printed(plots):
    words = " ".join(ET.fromstring(plots["histogram"]).itertext())  # noqa: S314 - made here
    assert f"observed maximum {VALUES[-1] * SAMPLE_NS / 1e3:.3f} µs" in words
    assert "limit 8 µs" in words


def test_text_from_outside_is_escaped(plots):
    assert "a &lt;b&gt;" in plots["overlay"]
    assert "event &lt;1&gt;" in plots["waveform"]


def test_nothing_measured_draws_nothing():
    none = np.empty(0, np.int64)
    empty = LatencyStretches(np.array([0.0, 1]), np.array([np.nan]), np.array([np.nan]))
    assert histogram_svg(none, none, 1.0) == tail_svg(none, none, 1.0) == ""
    assert timeline_svg(empty, []) == overlay_svg([LatencyCurve("a", none, none, 1.0)]) == ""
    nothing = np.empty(0)
    assert allan_svg([]) == allan_svg([ClockStability("a", (), (), ())]) == ""
    assert folded_svg([], [], 1.0) == brackets_svg(nothing, nothing, nothing) == ""
    assert agreement_svg(nothing, nothing, first_name="a", second_name="b") == ""


def test_a_single_value_is_drawn():
    one = np.array([100])
    for text in (histogram_svg(one, one, 10.0), tail_svg(one, np.array([1]), 10.0)):
        ET.fromstring(text)  # noqa: S314 - made here


@given(st.dictionaries(st.integers(0, 10**6), st.integers(1, 1000), min_size=1))
def test_no_bin_loses_or_moves_a_value(table):
    values = np.array(sorted(table))
    counts = np.array([table[v] for v in values.tolist()])
    edges, heights = binned(values, counts, 1000.0)  # one sample is one us
    assert heights.sum() == counts.sum()
    assert len(heights) <= BINS
    for low, high, height in zip(edges, edges[1:], heights, strict=False):
        assert counts[(values > low) & (values < high)].sum() == height
    assert edges[0] < values[0]
    assert edges[-1] > values[-1]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=200))
def test_exceedances_by_definition(latencies):
    values, counts = np.unique(latencies, return_counts=True)
    chosen, above = exceedances(values, counts)
    assert [int(a) for a in above] == [sum(x > v for x in latencies) for v in chosen.tolist()]
    x, shares = steps(chosen.astype(float), above, len(latencies))
    assert (shares[0], x[0], x[-1]) == (1.0, min(latencies), max(latencies))
    assert (np.diff(shares) <= 0).all()


def test_a_long_table_is_thinned_but_for_its_tail():
    values = np.arange(10**5)
    chosen, above = exceedances(values, np.ones(10**5, np.int64))
    assert len(chosen) <= POINTS
    assert above[0] == 10**5 - 1
    assert set(range(20)) <= {int(a) for a in above}
    assert (above == 10**5 - 1 - chosen).all()


@pytest.mark.parametrize(("k", "n"), [(1, 10), (3, 10), (40, 1000), (999, 1000)])
def test_interval_is_clopper_and_pearsons(k, n):
    low, high = interval(np.array([k]), n)
    expected = stats.binomtest(k, n).proportion_ci(0.95, "exact")
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high))


def test_what_was_not_seen_is_below_three_over_n():
    low, high = interval(np.array([0]), 10**6)
    assert low[0] == 0
    assert high[0] == pytest.approx(3e-6, rel=0.002)
    assert (1 - high[0]) ** 10**6 == pytest.approx(0.05)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=300), st.integers(8, 100))
def test_thinning_keeps_the_largest(sizes, points):
    size = np.array(sizes)
    kept = thinned(size, points)
    assert len(kept) <= max(points, len(size) if len(size) <= points else 0)
    assert size.max() in size[kept]
    assert (np.diff(kept) > 0).all()


def test_figure_pairs_are_where_their_values_are():
    rows = [
        FigurePairs("one", 10.0, 5.0, 1.0, 100.0),
        FigurePairs("<two>", 20.0, None, None, 10.0),
    ]
    root = ET.fromstring(pairs_svg("pairs", rows))  # noqa: S314 - made here
    dots = [each for each in root.iter() if each.tag.endswith("circle")][2:]
    x = [float(each.get("cx")) for each in dots if each.get("r") in ("3.5", "5.5")]
    left = {"median": x[0], "mean": x[1], "mean of two": x[2]}
    assert left["median"] < left["mean"] < left["mean of two"]
    # From 0, so twice the value is twice as far.
    assert left["mean of two"] - left["mean"] == pytest.approx(
        2 * (left["mean"] - left["median"]), abs=0.3
    )
    words = "".join(root.itertext())
    assert "<two>" in words
    assert pairs_svg("pairs", [FigurePairs("none", None, None, None, None)]) == ""
