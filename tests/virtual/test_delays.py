# SPDX-License-Identifier: GPL-3.0-or-later
"""Late wires of the virtual bench: every edge arrives once, in order, when it should."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.config.fixture import parse_fixture
from rig.config.virtual.delays import ChannelDelay
from rig.errors import InputError
from rig.resources import find_fixture
from rig.virtual.delays import DelayLines

edges = st.lists(
    st.tuples(st.integers(0, 10_000), st.integers(0, 3), st.integers(0, 1)), max_size=40
).map(sorted)
delays = st.lists(
    st.builds(ChannelDelay, st.integers(0, 3), *[st.integers(0, 500)] * 4),
    max_size=3,
    unique_by=lambda each: each.channel,
)


@given(edges, delays, st.lists(st.integers(0, 10_000), max_size=5).map(sorted))
def test_every_edge_arrives_once_in_order_whatever_the_stretches(given_edges, late, borders):
    lines, arrived, before = DelayLines(late), [], 0
    for until in [*borders, 20_000]:
        stretch = [edge for edge in given_edges if before <= edge[0] < until]
        arrived += (got := lines.through(stretch, until))
        assert all(edge[0] < until for edge in got)
        before = until
    assert [edge[0] for edge in arrived] == sorted(edge[0] for edge in arrived)
    by_channel = {each.channel: each for each in late}
    for channel in range(4):
        sent = [edge for edge in given_edges if edge[1] == channel]
        got = [edge for edge in arrived if edge[1] == channel]
        assert [level for _, _, level in got] == [level for _, _, level in sent]
        last = 0
        for (time, _, level), (arrival, _, _) in zip(sent, got, strict=True):
            added = by_channel[channel].delay_ps(level) if channel in by_channel else 0
            last = max(last, time + added)
            assert arrival == last


def fixture(tables):
    return parse_fixture(find_fixture("virtual").read_text() + tables, "f")


def test_the_tables():
    found = fixture(
        '[[virtual.delay]]\nchannel = "D1"\nline_rising = "95 ns"\nskew_falling = "20 ps"\n'
    )
    (delay,) = found.virtual.delays
    assert (delay.channel, delay.delay_ps(1), delay.delay_ps(0)) == (1, 95_000, 20)


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ('[[virtual.delay]]\nchannel = "D14"\n', "channel: .* valid: D0 to D13"),
        ('[[virtual.delay]]\nchannel = "D1"\nskew = "1 ns"\n', "skew: unknown key"),
        ('[[virtual.delay]]\nchannel = "D1"\nskew_rising = "2 ms"\n', "out of range"),
        ('[[virtual.delay]]\nchannel = "D1"\n' * 2, "D1 is given twice"),
        ('[virtual.delay]\nchannel = "D1"\n', r"delay: is a table"),
    ],
)
def test_what_cannot_be_is_refused(tables, words):
    with pytest.raises(InputError, match=words):
        fixture(tables)
