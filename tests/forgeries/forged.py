# SPDX-License-Identifier: GPL-3.0-or-later
"""A run file as a forger has it: every stored fact can be changed, and the file sealed again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from rig.analysis.measurements.verdict import Verdict
from rig.config.fixture import parse_fixture
from rig.config.plan import parse_plan
from rig.errors import InputError
from rig.instruments import EdgeBlock
from rig.measurements.stored_settings import settings_to_json
from rig.record.edge_code import EdgeEncoder
from rig.record.layout import ANCHORS, CAPTURES, COLUMNS, DELTA, LOG, LOSSES, PACKED
from rig.record.reader import RunFile
from rig.session.results import read
from rig.session.settings import settings_of
from tests.lies.runs import REFUSED, Outcome
from tests.record.older import new_column
from tests.resealing import resealed

RATES = {
    "analyzer": "sample_rate_hz",
    "stimulus": "clock_hz",
    "target": "tick_hz",
}
"""Who told a rate, by which key of `environment`."""
_EDGES = (DELTA, PACKED, ANCHORS)


class Forged:
    """The raw data of a run file, all of them in memory and open to change."""

    def __init__(self, path: Path, file: h5py.File) -> None:
        self.file = file
        with RunFile(path) as run:
            blocks = list(run.edge_blocks())
            self.settings: dict[str, Any] = run.settings
            self.report: dict[str, Any] = run.report
            self.covered = run.covered_samples
            self.log = run.log(0, run.log_count).copy()
            self.captures = run.captures(0, run.capture_count).copy()
        self.index = np.concatenate([block.index for block in blocks])
        self.channel = np.concatenate([block.channel for block in blocks])
        self.levels_before = blocks[0].levels_before
        self.losses: list[tuple[bytes, int, bytes]] = []
        self.false_level: int | None = None
        """The edge whose level is stored inverted."""

    def text(self, name: str) -> str:
        """A stored text."""
        return str(self.file[name].asstr()[()])

    def put_text(self, name: str, old: str, new: str) -> None:
        """Change a stored text in one place."""
        text = self.text(name)
        if old not in text:
            raise ValueError(f"{name} has no {old!r}")
        self.file[name][()] = text.replace(old, new, 1)

    def told(self, party: str) -> dict[str, Any]:
        """What an instrument, or the host, told of itself."""
        found: dict[str, Any] = json.loads(self.text(f"environment/{party}"))
        return found

    def put_told(self, party: str, told: dict[str, Any]) -> None:
        """Have it tell something else."""
        self.file[f"environment/{party}"][()] = json.dumps(told, indent=1, sort_keys=True)

    def derive(self) -> None:
        """Have the settings say what now follows from the texts, as a careful forger does."""
        plan = parse_plan(self.text("plan"), "plan")
        plan = plan.with_overrides(**json.loads(self.text("overrides")))
        fixture = parse_fixture(self.text("fixture"), "fixture")
        rates = [int(self.told(party)[key]) for party, key in RATES.items()]
        self.settings = json.loads(json.dumps(settings_to_json(settings_of(plan, fixture, *rates))))

    def edges_of(self, *signals: str) -> np.ndarray:
        """Numbers of all edges of these signals, shape (n,)."""
        wiring = self.settings["wiring"]
        channels = np.hstack([wiring[signal] for signal in signals])
        return np.flatnonzero(np.isin(self.channel, channels))

    def store(self) -> None:
        """Write all of it back."""
        self.file["settings"][()] = json.dumps(self.settings)
        self.file["report"][0] = json.dumps(self.report).encode()
        self.file["edges/covered"][0] = self.covered
        self.file["edges/levels_before"][0] = self.levels_before
        for name, rows in (*self._edges(), (LOG, self.log), (CAPTURES, self.captures)):
            self._put(name, rows)
        self._put(LOSSES, np.array(self.losses, COLUMNS[LOSSES][0]))

    def _edges(self) -> Iterator[tuple[str, np.ndarray]]:
        order = np.lexsort((self.channel, self.index))
        index, channel = self.index[order], self.channel[order]
        level = np.zeros(len(index), np.uint8)
        for each in np.unique(channel):
            mine = channel == each
            level[mine] = (self.levels_before >> int(each) & 1) ^ (1 + np.arange(mine.sum())) % 2
        if self.false_level is not None:
            level[self.false_level] ^= 1
        taken: dict[str, list[Any]] = {name: [] for name in _EDGES}

        class Columns:
            def append(self, name: str, rows: np.ndarray) -> None:
                taken[name].append(rows)

        block = EdgeBlock(0, self.covered, index, channel, level, self.levels_before)
        EdgeEncoder(Columns()).append(block)  # type: ignore[arg-type]
        for name in _EDGES:
            yield name, np.concatenate(taken[name])

    def _put(self, name: str, rows: np.ndarray) -> None:
        if isinstance(self.file[name], h5py.Group):
            del self.file[name]
            new_column(self.file, name, rows)
        data = self.file[name]
        if len(rows) > len(data):
            data.resize(len(rows), axis=0)
        data[: len(rows)] = rows
        self.file["written"][list(COLUMNS).index(name)] = (len(rows), len(rows))


@contextmanager
def forged(honest: Path, path: Path) -> Iterator[Forged]:
    """A copy of a run file; what is changed of it is stored, and the copy sealed again."""
    shutil.copyfile(honest, path)
    with resealed(path) as file:
        run = Forged(honest, file)
        yield run
        run.store()


def outcome_of(path: Path) -> Outcome:
    """What `rig analyze` makes of a file: how it is judged, or why it is refused."""
    try:
        evaluation = read(path).evaluation
    except InputError as error:
        return Outcome(REFUSED, str(error).partition(": ")[2])
    caught = evaluation.verdict is not Verdict.PASS
    return Outcome(evaluation.verdict.value, evaluation.reasons[0] if caught else "")
