# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON within bounds: read as Python reads it, and what is not within them refused in a line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.untrusted.json_reader import (
    BYTES_MAX,
    DEPTH_MAX,
    DIGITS_MAX,
    NODES_MAX,
    json_object,
    json_value,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64) | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)  # fmt: skip


@given(VALUES, st.booleans())
def test_what_was_written_is_read_back(value, ascii_only):
    assert json_value(json.dumps(value, ensure_ascii=ascii_only)) == value


@given(st.text(alphabet='[]{}",:\\0179.eENaI \n'))
def test_what_is_read_is_what_python_reads(text):
    try:
        value = json_value(text)
    except ValueError:
        return
    assert value == json.loads(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * (DEPTH_MAX + 1) + "]" * (DEPTH_MAX + 1), "nested 33 deep"),
        ("[" * 500_000, "nested 500,000 deep"),
        ("[" + "1," * NODES_MAX + "1]", "over 1,000,000 values"),
        ("9" * (DIGITS_MAX + 1), "a number of more than 40 digits"),
        ("1." + "9" * 5000, "a number of more than 40 digits"),
        ('{"a": 1, "b": 2, "a": 3}', "key 'a' is given twice"),
        ("NaN", "NaN is no number of JSON"),
        ("[-Infinity]", "-Infinity is no number of JSON"),
        ("1e999", "too large"),
        (b'"\xff"', "utf-8"),
        ("x" * (BYTES_MAX + 1), "bytes of JSON; valid: at most 32 MiB"),
        ('"' + '\\"' * 1_000_000, "Unterminated string"),
        ('{"a": 1', "delimiter"),
    ],
    ids=lambda value: str(value[:20]),
)
def test_what_is_not_within_bounds_is_one_line(text, words):
    with pytest.raises(ValueError, match=words) as caught:
        json_value(text)
    assert len(str(caught.value)) < 400


def test_brackets_and_digits_within_texts_count_for_nothing():
    text = json.dumps(["[" * 1000 + '"\\' + "9" * 1000])
    assert json_value(text) == json.loads(text)


def test_an_object_is_an_object():
    assert json_object('{"a": [1]}') == {"a": [1]}
    with pytest.raises(ValueError, match="a list of 2; valid: a JSON object"):
        json_object("[1, 2]")
