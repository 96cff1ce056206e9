# SPDX-License-Identifier: GPL-3.0-or-later
"""An event by latency and time: of a finished run by its columns, of one that goes on by edges."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from gui.models.runs.opened import OpenedRun
from gui.models.runs.outliers import event_of_latency
from gui.models.summary.rows import EVENTS
from gui.models.summary.service import Summary
from rig.analysis.model.events import EventClass
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.services import event_search
from rig.services.event_query import ANY, EventQuery
from rig.services.event_search import find_event, pieces, worst_interval
from tests.cli.command import rig
from tests.gui.results_runs import FAULTY, GOOD
from tests.resealing import resealed


@pytest.fixture(scope="module")
def periods(tmp_path_factory):
    """A finished run of periods."""
    out = tmp_path_factory.mktemp("periods") / "periods.h5"
    done = rig("run", "period", "--fixture", "virtual", "--count", 60, "--quiet", "--out", out)
    assert out.exists(), done.stderr
    return out


def going_on(path, folder):
    """The same run as it was when its edges were there, and its events not yet."""
    copy = folder / f"live-{path.name}"
    shutil.copy(path, copy)
    with resealed(copy) as file:
        for name in ("events", "evaluation"):
            if name in file:
                del file[name]
    with RunFile(copy) as file:
        assert not file.event_count
    return copy


def seek(run, query):
    return find_event(run.file, run.settings, query)


def columns(path):
    with RunFile(path) as file:
        found = file.events(0, file.event_count)
    response, stimulus = found["response_sample"], found["stimulus_sample"]
    return stimulus, response, np.where(response < 0, -1, response - stimulus), found["status"]


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("name", [GOOD, FAULTY])
def test_every_stretch_and_every_latency(measured_runs, tmp_path, name, live):
    path = measured_runs / name
    stimulus, response, latency, kind = columns(path)
    with OpenedRun(going_on(path, tmp_path) if live else path) as run:
        for low in np.unique(latency[latency > 0])[::40].tolist():
            event = seek(run, EventQuery(low, low + 1))
            assert event.latency_samples == low
            assert (event.stimulus_sample, event.response_sample) == (
                stimulus[event.event], response[event.event]
            )  # fmt: skip
        for first in range(0, len(stimulus), 97):
            end = min(first + 97, len(stimulus) - 1)
            event = seek(run, EventQuery(0, ANY, stimulus[first], stimulus[end]))
            longest = latency[first:end].max()
            # While a run goes on there is no log, and a late answer may be a merged interrupt's:
            # the longer reading is shown.
            assert event.latency_samples == longest or (
                live and name == FAULTY and event.latency_samples > longest
            )
        assert seek(run, EventQuery(int(latency.max()) + 1)) is None
        missed = np.flatnonzero(kind == EventClass.MISSED)
        found = seek(run, EventQuery(kinds=(EventClass.MISSED,)))
        assert (found is None) == (not len(missed))
        if found is not None:
            assert found.event in missed
            assert found.response_sample == -1


def test_the_worst_interval(periods, tmp_path):
    """By another way than the code's: the difference of answers farthest from ten milliseconds."""
    stimulus, response, _, _ = columns(periods)
    assert (response >= 0).all()
    with RunFile(periods) as file:
        rate = file.settings["sample_rate_hz"]
    off = np.abs(np.diff(response) - rate // 100)
    with OpenedRun(periods) as run:
        event = worst_interval(run.file, run.settings)
        assert event.event == 1 + int(np.argmax(off))
        assert event.stimulus_sample == stimulus[event.event]
        error = run.result.evaluation.details.pins.interval_error
    worst_ns = max(error.max_ns, -error.min_ns)
    assert off.max() * 1e9 / rate == pytest.approx(worst_ns)
    with OpenedRun(going_on(periods, tmp_path)) as run:
        live = seek(run, EventQuery(int(off.max()), int(off.max()) + 1))
        assert live.event == event.event
        assert live.response_sample == event.response_sample
        assert abs(live.response_sample - live.stimulus_sample) == off.max()


def test_by_latency_in_a_summary(measured_runs, qapp):
    path = measured_runs / GOOD
    _, _, latency, _ = columns(path)
    with OpenedRun(path) as run:
        summary = Summary(run.file, EVENTS)
        for wanted in np.unique(latency).tolist():
            event = event_of_latency(run, summary.levels, wanted)
            assert event == int(np.flatnonzero(latency == wanted)[0])
        assert event_of_latency(run, summary.levels, int(latency.max()) + 1) is None
        summary.close()


def test_pieces_are_the_block(measured_runs):
    """Joined again they are what they were cut from, and each knows its levels."""
    with RunFile(measured_runs / FAULTY) as file:
        for block in file.edge_blocks():
            parts = list(pieces(block))
            assert len(parts) >= len(block.index) // (event_search.PIECE + 64)
            for name in ("index", "channel", "level"):
                joined = np.concatenate([getattr(part, name) for part in parts])
                assert (joined == getattr(block, name)).all()
            levels = block.levels_before
            for before, after in zip([None, *parts], parts, strict=False):
                if before is not None:
                    assert before.end_sample == after.start_sample
                    for channel, level in zip(before.channel, before.level, strict=True):
                        levels = levels & ~(1 << int(channel)) | int(level) << int(channel)
                assert after.levels_before == levels


def test_a_run_too_long_to_be_looked_through_says_so(measured_runs, tmp_path, monkeypatch):
    monkeypatch.setattr(event_search, "EDGES_MAX", 100)
    with (
        OpenedRun(going_on(measured_runs / GOOD, tmp_path)) as run,
        pytest.raises(InputError, match="when the run has ended"),
    ):
        seek(run, EventQuery(100))
