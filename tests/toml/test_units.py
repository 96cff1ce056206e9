# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantities are exact: checked against fractions, which know no rounding."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.toml.units import RATE, TIME, UnitKind, ps_to_ticks, ticks_to_ps


@given(st.sampled_from([TIME, RATE]), st.integers(0, 10**25))
def test_what_is_formatted_is_parsed_back(quantity: UnitKind, value: int) -> None:
    assert quantity.parse(quantity.format(value)) == value


@given(
    st.sampled_from([TIME, RATE]),
    st.integers(0, 10**12),
    st.text("0123456789", max_size=15),
    st.data(),
)
def test_parsing_is_exact_or_refused(
    quantity: UnitKind, whole: int, fraction: str, data: st.DataObject
) -> None:
    unit = data.draw(st.sampled_from(sorted(quantity.scale)))
    number = f"{whole}.{fraction}" if fraction else str(whole)
    exact = Fraction(number) * quantity.scale[unit]
    if exact.denominator == 1:
        assert quantity.parse(f"{number} {unit}") == exact
    else:
        with pytest.raises(ValueError, match="whole number"):
            quantity.parse(f"{number} {unit}")


@pytest.mark.parametrize(
    ("text", "value_ps"),
    [
        ("100 us", 100_000_000),
        ("100us", 100_000_000),
        (" 100 us ", 100_000_000),
        ("62.5 ns", 62_500),
        ("0.0625 \u00b5s", 62_500),
        ("0.0625 \u03bcs", 62_500),
        ("0 ns", 0),
        ("1.000 ps", 1),
    ],
)
def test_times(text: str, value_ps: int) -> None:
    assert TIME.parse(text) == value_ps


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("24 MHz", '"MHz" is not a unit of time'),
        ("24 MS", '"MS" is not a unit of time'),
        ("1 min", '"min" is not a unit of time'),
        ("100", '"100" is not a number and a unit'),
        ("us", '"us" is not a number and a unit'),
        ("1e3 us", '"1e3 us" is not a number and a unit'),
        ("1,5 us", '"1,5 us" is not a number and a unit'),
        ("-1 us", '"-1 us" is negative'),
        ("0.5 ps", '"0.5 ps" is not a whole number of ps'),
        ("\u0661 us", '"\u0661 us" is not a number and a unit'),
        ("1" * 50 + " us", '"' + "1" * 37 + '..." is not a number and a unit'),
    ],
)
def test_what_is_no_time_is_told(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match="is") as error:
        TIME.parse(text)
    assert str(error.value) == problem


@pytest.mark.parametrize(
    ("value_ps", "text"),
    [
        (0, "0 ps"),
        (999, "999 ps"),
        (41_667, "41.667 ns"),
        (10**12, "1 s"),
        (1_001 * 10**6, "1.001 ms"),
    ],
)
def test_format_takes_the_largest_unit(value_ps: int, text: str) -> None:
    assert TIME.format(value_ps) == text


@given(st.integers(0, 10**14), st.integers(1, 10**9))
def test_ticks_are_the_nearest(time_ps: int, clock_hz: int) -> None:
    error = Fraction(time_ps * clock_hz, 10**12) - ps_to_ticks(time_ps, clock_hz)
    assert -Fraction(1, 2) <= error < Fraction(1, 2)


@given(st.integers(0, 10**12), st.integers(1, 10**9))
def test_ticks_to_time_rounds_up_by_less_than_a_picosecond(ticks: int, clock_hz: int) -> None:
    error = ticks_to_ps(ticks, clock_hz) - Fraction(ticks * 10**12, clock_hz)
    assert 0 <= error < 1
