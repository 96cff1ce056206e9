# SPDX-License-Identifier: GPL-3.0-or-later
"""The window writes a figure as every report does."""

from __future__ import annotations

import pytest

from gui.engine.snapshot import Snapshot
from gui.pages.run.figures import FiguresPanel
from gui.plots.number_texts import NONE, duration, short_time, us, us_unit


@pytest.mark.parametrize(
    ("time_ns", "text"), [(10333.333, "10.333"), (0.4, "0.000"), (2.5e6, "2500.000"), (None, NONE)]
)  # fmt: skip
def test_microseconds(time_ns, text):
    assert us(time_ns) == text
    assert us_unit(time_ns).replace(",", "").removesuffix(" µs") == text


@pytest.mark.parametrize(
    ("time_us", "text"),
    [(0.05, "50 ns"), (1, "1 µs"), (500, "500 µs"), (2000, "2 ms"), (1e6, "1 s")],
)
def test_axis_times(time_us, text):
    assert short_time(time_us) == text


@pytest.mark.parametrize(
    ("time_s", "text"),
    [(0.04, "0.0 s"), (9.96, "10 s"), (59.7, "1 min 00 s"), (125, "2 min 05 s")],
)
def test_durations(time_s, text):
    assert duration(time_s) == text


def test_live_figures(qtbot):
    """From a snapshot in samples to what is read on the panel; what is grave stands out."""
    panel = FiguresPanel()
    qtbot.addWidget(panel)
    panel.show_snapshot(
        Snapshot(
            phase="measuring",
            planned=1000,
            events=12,
            answers=8,
            worst_ns=124 / 24e6 * 1e9,
            min_samples=73,
            total_samples=900,
            latencies=8,
            counts={"answered": 8, "missed": 4},
            sample_rate_hz=24_000_000,
            backlog_now_ns=300_000_000,
            losses=2,
            rate_hz=1234.4,
            remaining_s=75.2,
            target="silent",
            unanswered=4,
        )
    )
    assert panel.worst == "5.167 µs"
    assert panel.figures.value("average") == "4.688"
    assert panel.figures.value("min") == "3.042"
    rows = {row.name: row for row in (*panel.counts.rows, *panel.bench.rows)}
    assert {name: (row.value, row.tone) for name, row in rows.items()} == {
        "stimuli": ("12 of 1,000", ""),
        "answered": ("8", ""),
        "late": ("0", ""),
        "missed": ("4", "bad"),
        "merged": ("0", ""),
        "ambiguous": ("0", ""),
        "duplicate": ("0", ""),
        "spurious": ("0", ""),
        "glitches": ("0", ""),
        "remaining": ("1 min 15 s", ""),
        "rate": ("1,234 /s", ""),
        "backlog": ("300 ms", "warn"),
        "loss": ("2", "bad"),
        "target": ("silent, 4 open", "bad"),
    }
