# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows written while a run goes on are those that its end writes, as far as both have them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.capture.replay.sr_reader import SrSession
from rig.instruments import EdgeBlock
from rig.measurements.stored_settings import settings_from_json
from rig.record.reader import RunFile
from rig.recording.live import LivePairs, LiveSummary
from rig.session.live_windows import LiveWindows, RecentEdges
from rig.session.windows import channel_names
from tests.cli.command import rig


@pytest.fixture(scope="module")
def misbehaved(tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "run.h5"
    words = ("--fixture", "virtual-misbehaving", "--count", 400, "--out", out)
    assert rig("run", "interrupt", *words).returncode == 1
    return out


def written_live(path: Path, folder: Path, keep_edges: int = 1 << 20, blocks_a_s: int = 50) -> None:
    """The run's edges once more, as if they came from an analyzer."""
    with RunFile(path) as file:
        settings = settings_from_json(path, file.settings)
        live = LiveSummary(400, settings.sample_rate_hz)
        horizon = settings.sample_rate_hz // 100
        live.figures = LivePairs(settings, horizon)
        windows = LiveWindows(folder, settings, channel_names(file), horizon)
        windows._recent._edges_max = keep_edges
        step = settings.sample_rate_hz // blocks_a_s
        for start in range(0, file.covered_samples, step):
            for block in file.edge_blocks(start, start + step):
                live.add(block)
                windows.add(block, live.figures.take_notable())


def edges_in(path: Path) -> list[list[int]]:
    session = SrSession(path, ("P8_45", "P8_46"), None)
    blocks = [item for item in session.items() if isinstance(item, EdgeBlock)]
    return [np.concatenate([getattr(b, name) for b in blocks]).tolist() for name in
            ("index", "channel", "level")]  # fmt: skip


def test_live_windows_are_the_final_ones(misbehaved, tmp_path):
    folder = tmp_path / "live.windows"
    written_live(misbehaved, folder)
    live = {path.name: path for path in folder.iterdir()}
    final = {path.name: path for path in misbehaved.with_suffix(".windows").iterdir()}
    both = live.keys() & final.keys()
    assert len(both) >= 3
    # They need not be of one event: a late answer's latency is what the log makes of it at the end.
    for names in (live, final):
        assert sum("maximum" in name for name in names) == 1
    assert len(live) <= 16
    for name in both:
        assert edges_in(live[name]) == edges_in(final[name]), name


def test_a_line_too_busy_to_keep_costs_the_windows_only(misbehaved, tmp_path):
    written_live(misbehaved, tmp_path / "busy.windows", keep_edges=2, blocks_a_s=20_000)
    assert not (tmp_path / "busy.windows").exists()


def test_the_end_replaces_what_was_provisional(misbehaved):
    with RunFile(misbehaved) as file:
        links = json.loads(file._file["windows"][()])
    folder = misbehaved.with_suffix(".windows")
    assert {f"{folder.name}/{path.name}" for path in folder.iterdir()} == {
        link["file"] for link in links
    }


@given(
    edges=st.lists(st.tuples(st.integers(0, 300), st.integers(0, 3)), unique=True, max_size=40),
    cuts=st.lists(st.integers(1, 300), max_size=6),
    window=st.tuples(st.integers(0, 301), st.integers(0, 301)),
    keep=st.integers(0, 301),
)
def test_a_cut_shows_the_levels_of_every_sample(edges, cuts, window, keep):
    """Against levels looked up sample by sample."""
    levels = np.zeros(302, int)
    code = []
    for sample, channel in sorted(edges):
        levels[sample:] ^= 1 << channel
        code.append((sample, channel, int(levels[sample]) >> channel & 1))
    recent = RecentEdges(keep)
    for start, end in pairwise([0, *sorted(set(cuts)), 301]):
        mine = [edge for edge in code if start <= edge[0] < end]
        index, channel, level = np.array(mine, int).reshape(-1, 3).T
        before = int(levels[start - 1]) if start else 0
        recent.add(EdgeBlock(start, end, index, channel.astype(np.uint8),
                             level.astype(np.uint8), before))  # fmt: skip
    assert recent.first_sample <= max(0, 301 - keep)
    first, end = max(min(window), recent.first_sample), max(window)
    shown = []
    for block in recent.cut(first, end):
        held = block.levels_before
        for sample in range(block.start_sample, block.end_sample):
            for number in np.flatnonzero(block.index == sample):
                held ^= 1 << int(block.channel[number])
            shown.append(held)
    assert shown == levels[first : min(end, 301)].tolist()
