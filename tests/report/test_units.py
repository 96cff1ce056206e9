# SPDX-License-Identifier: GPL-3.0-or-later
"""Signs in pages that ASCII lacks: where they stand for numbers, and nowhere else."""

from __future__ import annotations

import pytest

from rig.formatting import with_unicode_signs


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("10.3 us", "10.3 µs"),
        ("<td>20 us</td>, 3 us.", "<td>20 µs</td>, 3 µs."),
        ("8.792 ± 0.045 us", "8.792 ± 0.045 µs"),
        ("tell us of 3 users", "tell us of 3 users"),
        ("latency_us 5", "latency_us 5"),
        ("20us", "20us"),
        ("343.5 +- 20.7 ns", "343.5 ± 20.7 ns"),
        ("a+-b", "a+-b"),
    ],
)
def test_signs_of_numbers(text, written):
    assert with_unicode_signs(text) == written
    assert with_unicode_signs(written) == written
