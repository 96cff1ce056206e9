# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures stored from events that were handed out before are those that are computed anew."""

from __future__ import annotations

import shutil

import h5py
import numpy as np
import pytest

from benchmarks.measured_run import write_measured_run
from rig.cli import analyze
from rig.cli.main import main
from rig.session import results
from rig.session.event_spool import EventSpool
from rig.session.results import store


def computed_groups(path):
    found = {}

    def keep(name, item):
        if isinstance(item, h5py.Dataset) and name.split("/")[0] in (
            "events",
            "statistics",
            "histogram",
        ):
            value = item[()]
            found[name] = (str(item.dtype), np.asarray(value).tolist())

    with h5py.File(path) as file:
        file.visititems(keep)
    return found


@pytest.fixture
def two(tmp_path):
    first, second = tmp_path / "first.h5", tmp_path / "second.h5"
    write_measured_run(first, 3000)
    shutil.copyfile(first, second)
    return first, second


def test_one_evaluation_stores_what_two_did(two, monkeypatch):
    first, second = two
    store(second)
    evaluations = []
    evaluate = results.evaluate
    monkeypatch.setattr(
        results, "evaluate", lambda *given: evaluations.append(1) or evaluate(*given)
    )
    monkeypatch.setattr(analyze, "in_child", lambda _path, act: act())
    main(["analyze", str(first)])
    assert len(evaluations) == 1
    assert computed_groups(first) == computed_groups(second)
    assert len(computed_groups(first)["events/status"][1]) == 3000
    main(["analyze", str(first)])
    assert len(evaluations) == 2


def test_without_room_it_is_computed_again(two, monkeypatch):
    first, second = two
    store(second)

    def full(*_given, **_more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    main(["analyze", str(first)])
    assert computed_groups(first) == computed_groups(second)


def test_a_spool_gives_back_what_it_took(tmp_path):
    pieces = [{"a": np.arange(5), "b": np.zeros(5, np.uint8)}, {"a": np.arange(2), "b": np.ones(2)}]
    with EventSpool(tmp_path) as spool:
        for piece in pieces:
            spool.add(piece)
        again = list(spool.pieces())
        assert not list(tmp_path.iterdir())
    for piece, same in zip(pieces, again, strict=True):
        assert {name: column.tolist() for name, column in piece.items()} == {
            name: column.tolist() for name, column in same.items()
        }
    assert not spool.holds
    with pytest.raises(ValueError, match="nothing is held"):
        next(spool.pieces())
    assert not EventSpool(tmp_path / "no folder").holds
