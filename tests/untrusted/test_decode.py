# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as the dataclasses that declare them; what is not as declared is told with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.untrusted.decode import Length, NumberRange, OneOf, WrongValueError, decoded


class Color(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Inner:
    count: Annotated[int, NumberRange(1, 10)]
    level: Annotated[int, OneOf((0, 1))] = 0
    ratio: float | None = None

    def __post_init__(self) -> None:
        if self.count == 7 and self.level:
            raise ValueError("7 has no level")


@dataclass(frozen=True)
class Outer:
    name: Annotated[str, Length(5)]
    inner: Inner
    color: Color = Color.RED
    pair: tuple[int, str] = (0, "")
    many: tuple[Inner, ...] = ()
    words: Mapping[str, float] = field(default_factory=dict)
    anything: Any = None
    flag: bool = False


def outer(**values):
    return decoded(Outer, {"name": "a", "inner": {"count": 1}, **values})


def test_each_kind_of_value_arrives():
    found = outer(
        color="blue", pair=[3, "x"], many=[{"count": 2, "ratio": 1}], words={"a b": 2}, flag=True
    )
    assert found == Outer(
        "a", Inner(1), Color.BLUE, (3, "x"), (Inner(2, 0, 1.0),), {"a b": 2.0}, None, True
    )
    assert type(found.many[0].ratio) is float


def test_a_value_of_the_type_is_taken_as_it_is():
    inner = Inner(3)
    assert outer(inner=inner).inner is inner


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"name": "abcdef"}, "name: 6 characters; valid: at most 5"),
        ({"name": 5}, "name: 5 found; valid: a text"),
        ({"inner": {"count": 11}}, "inner.count: 11 found; valid: an integer from 1 to 10"),
        ({"inner": {"count": True}}, "inner.count: true found; valid: an integer from 1 to 10"),
        ({"inner": {"count": 1.0}}, "inner.count: 1.0 found; valid: an integer from 1 to 10"),
        ({"inner": {}}, "inner.count: missing"),
        ({"inner": []}, "inner: a list of 0 found; valid: an object"),
        ({"inner": {"count": 1, "level": True}}, "inner.level: true found; valid: 0, 1"),
        ({"inner": {"count": 1, "ratio": "x"}}, "inner.ratio: 'x' found; valid: a number"),
        ({"inner": {"count": 7, "level": 1}}, "inner: 7 has no level"),
        ({"inner": {"count": 1, "ratio": float("nan")}}, "inner.ratio: nan found; valid: a number"),
        ({"inner": {"count": 1, "ratio": 10**400}}, "valid: a number"),
        ({"inner": {"count": 1, "odd": 1}}, "inner.odd: is not known; valid: count, level, ratio"),
        ({"color": "green"}, "color: 'green' found; valid: red, blue"),
        ({"color": []}, "color: a list of 0 found; valid: red, blue"),
        ({"pair": [1]}, "pair: a list of 1 found; valid: a list of 2"),
        ({"many": [{"count": 1}, {"count": 0}]}, "many[1].count: 0 found"),
        ({"words": {"\x1b[2J": "x"}}, r"words.'\x1b[2J': 'x' found; valid: a number"),
        ({"words": 1}, "words: 1 found; valid: an object"),
        ({"flag": 1}, "flag: 1 found; valid: true or false"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(values, line):
    with pytest.raises(WrongValueError) as caught:
        outer(**values)
    assert line in str(caught.value)
    assert str(caught.value).isprintable()


def test_unknown_keys_are_passed_over_on_request():
    assert decoded(Inner, {"count": 1, "newer": []}, ignore_unknown=True) == Inner(1)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(["name", "inner", "count", "pair", "x"]), inner)
        ),
    )
)
def test_no_value_leads_to_any_other_error(value):
    try:
        decoded(Outer, value)
    except WrongValueError as error:
        assert str(error).isprintable()  # noqa: PT017
