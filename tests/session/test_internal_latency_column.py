# SPDX-License-Identifier: GPL-3.0-or-later
"""The latency inside the target of each event: stored beside the edges, exported, left out of old
files, and never a reason for these not to be read."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from rig.analysis.model.sources import SelfTriggers
from rig.cli.main import main
from rig.instruments import UNKNOWN_PS
from rig.measurements.stored_settings import settings_to_json
from rig.record.event_code import INTERNAL
from rig.record.layout import EVENT_COLUMNS, INTERNAL_LATENCY
from rig.record.reader import RunFile
from rig.record.writer import RunWriter
from rig.session.results import read, store
from tests.analysis.raw_runs import RATE_HZ, settings_of
from tests.analysis.test_self_trigger import PERIOD_NS, Target
from tests.resealing import resealed

N, LEAD_NS = 300, 30
LATENCY_NS: list[int | None] = [4_000 + 37 * (n % 23) for n in range(N)]


def stored(path: Path, target: Target, *, logged: bool = True) -> Path:
    settings = replace(settings_of("interrupt"), source=SelfTriggers(PERIOD_NS, N))
    texts = {"plan": "", "fixture": "", "calibration": ""}
    run = target.run()
    with RunWriter(path, texts, settings_to_json(settings)) as writer:
        for block in run.edge_blocks():
            writer.edges(block)
        if logged:
            writer.log(run.records)
        handled = sum(at is not None for at in target.answer_ns)
        writer.finish("imported", {"handled": handled, "triggers": N})
    store(path)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return stored(tmp_path / "run.h5", Target(LATENCY_NS, lead_ns=LEAD_NS))


def test_each_event_has_its_latency_inside(file: Path) -> None:
    inside = read(file).evaluation.internal_latency
    with RunFile(file) as run:
        assert set(run.events(0, 5)) == set(EVENT_COLUMNS)
        column = run.events(0, N, (INTERNAL_LATENCY,))[INTERNAL_LATENCY]
        part = run.events(7, 20, (INTERNAL_LATENCY, "status"))
    assert (part[INTERNAL_LATENCY] == column[7:20]).all()
    truth_ns = np.array(LATENCY_NS) - LEAD_NS
    assert np.abs(column / 1e3 - truth_ns).max() <= inside.within_ns < 2e9 / RATE_HZ
    assert column.mean() / 1e3 == pytest.approx(inside.average_ns, abs=0.001)


def test_a_missed_event_has_none(tmp_path: Path) -> None:
    latency_ns = list(LATENCY_NS)
    latency_ns[40] = None
    path = stored(tmp_path / "run.h5", Target(latency_ns))
    with RunFile(path) as run:
        column = run.events(0, N, (INTERNAL_LATENCY,))[INTERNAL_LATENCY]
    assert np.flatnonzero(column == UNKNOWN_PS).tolist() == [40]


def test_a_run_without_a_log_has_no_such_column(tmp_path: Path) -> None:
    path = stored(tmp_path / "run.h5", Target(LATENCY_NS), logged=False)
    with h5py.File(path) as raw:
        assert INTERNAL not in raw["events"]
    with RunFile(path) as run:
        assert (run.events(0, N, (INTERNAL_LATENCY,))[INTERNAL_LATENCY] == UNKNOWN_PS).all()
        assert len(run.events(N - 2, N + 5, (INTERNAL_LATENCY,))[INTERNAL_LATENCY]) == 2


def test_an_older_file_is_read_as_before(file: Path) -> None:
    """As a version without the column wrote it."""
    with RunFile(file) as run:
        before = run.events(0, N)
    with resealed(file) as raw:
        del raw[f"events/{INTERNAL}"]
    with RunFile(file) as run:
        run.look_through()
        assert all((run.events(0, N)[name] == before[name]).all() for name in EVENT_COLUMNS)
        assert (run.events(0, N, (INTERNAL_LATENCY,))[INTERNAL_LATENCY] == UNKNOWN_PS).all()
    assert store(file).evaluation.internal_latency is not None
    with RunFile(file) as run:
        assert (run.events(0, N, (INTERNAL_LATENCY,))[INTERNAL_LATENCY] != UNKNOWN_PS).all()


def test_a_column_that_is_cut_short_is_damage(file: Path, capsys) -> None:
    with resealed(file) as raw:
        raw[f"events/{INTERNAL}"].resize((N - 1,))
    out = file.with_suffix(".csv")
    assert main(["export", str(file), str(out)]) == 2
    assert f"events/{INTERNAL} has {N - 1} of {N} rows" in capsys.readouterr().err
    assert not out.exists()


def test_events_as_csv(file: Path, capsys) -> None:
    out = file.with_suffix(".csv")
    assert main(["export", str(file), str(out)]) == 0
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert len(rows) == N
    with RunFile(file) as run:
        columns = run.events(0, N, (*EVENT_COLUMNS, INTERNAL_LATENCY))
    for n in (0, 17, N - 1):
        assert rows[n]["event"] == str(n)
        assert rows[n]["status"] == "answered"
        samples = int(columns["response_sample"][n] - columns["stimulus_sample"][n])
        assert float(rows[n]["latency_ns"]) == pytest.approx(samples * 1e9 / RATE_HZ, abs=0.0005)
        assert round(float(rows[n]["internal_latency_ns"]) * 1000) == columns[INTERNAL_LATENCY][n]
    assert main(["export", str(file), str(out)]) == 2
    assert "exists already and is not overwritten" in capsys.readouterr().err
    assert main(["export", str(file), str(out), "--event", "3"]) == 2
    assert "without --event and --margin" in capsys.readouterr().err
