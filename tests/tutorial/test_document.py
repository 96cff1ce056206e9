# SPDX-License-Identifier: GPL-3.0-or-later
"""The comparison of documents with outputs sees what is another, and only that."""

from __future__ import annotations

import pytest

from tests.tutorial.document import is_alike, not_printed


@pytest.mark.parametrize(
    ("shown", "found", "alike"),
    [
        ("  max   10.333 us", "max 10.375 us", True),
        ("max 10.333 us", "max 12.375 us", False),
        ("missed 0", "missed 1", False),
        ("answered 1,000", "answered 1000", True),
        ("answered 1,000", "answered 999", False),
        ("sample 32,446,774", "sample 32,590,762", True),
        ("kept missed", "kept late", False),
        ("agree  bracket test: 1,000 ...", "agree bracket test: 1,000 of 1,000 events", True),
        ("agree  bracket test: 1,000 ...", "agree bracket test: 999 of 1,000 events", False),
        ("file: runs/interrupt-...", "file: runs/interrupt-2026.h5", True),
        ("426,answered,7099364,...", "426,answered,7099364,13309200,13309448,426", True),
        ("426,answered,7099364,...", "425,answered,7099364,13309200,13309448,426", False),
    ],
)
def test_lines_are_alike_but_for_what_two_runs_differ_by(shown, found, alike):
    assert is_alike(shown, found) is alike


def test_lines_have_to_come_in_the_order_that_is_shown():
    assert not_printed(("a", "...", "c"), "a\nb\nc\n") == []
    assert not_printed(("c", "a"), "a\nb\nc\n") == ["a"]
