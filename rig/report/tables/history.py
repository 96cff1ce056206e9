# SPDX-License-Identifier: GPL-3.0-or-later
"""Many runs of one measurement in one picture for each system and load, run behind run.

It follows the long-term latency plots of OSADL's QA farm: the whole history of a system, with the
worst value of each run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from rig.analysis.measurements.evaluation import Evaluation
from rig.document import Folded, Note, Plot, ReportDocument, Section, TextTable, section
from rig.errors import InputError
from rig.instruments import Int64Array
from rig.measurements.registry import measurement_of
from rig.plots.history import LAYERS_MAX, HistoryRun, history_svg
from rig.record.reader import RunFile
from rig.record.vetting import each_in_child
from rig.report.page import page_of
from rig.report.tables.figures_index import FiguresIndex, IndexKind, index_path, stamps_of
from rig.report.tables.runs import fixture_name, run_files
from rig.session.results import read
from rig.session.settings_check import checked_settings
from rig.session.stored_results import stored_evaluation
from rig.shell_words import quoted
from rig.untrusted.decode import decoded
from rig.untrusted.json_reader import json_object

BINS: Final = 200
KEPT_BINS: Final = 512
"""Most different latencies that are kept of a run: of more, neighbors are counted together."""
RUNS_MAX: Final = 2000
GROUPS_MAX: Final = 12
WORST: Final = 10
"""Number of runs that are listed, worst first, before all of them."""
_CLOSE: Final = 1e-9


class RidgeGroup(NamedTuple):
    """The conditions that the runs of one picture share."""

    system: str
    variant: str
    scenario: str

    @property
    def title(self) -> str:
        """The conditions as a line."""
        return ", ".join(filter(None, (self.system, self.variant, f"load {self.scenario}")))


@dataclass(frozen=True)
class Ridge:
    """A run's latencies in microseconds, ascending, and how often each occurred, shapes (k,)."""

    path: Path
    created: str
    subject: str
    group: RidgeGroup
    latency_us: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]
    unit_us: float
    """Distance that two different latencies have at least, but for the last one."""

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.stem

    @property
    def worst_us(self) -> float:
        """The observed maximum."""
        return float(self.latency_us[-1])

    @property
    def n(self) -> int:
        """The number of values."""
        return int(self.counts.sum())

    @property
    def minute(self) -> str:
        """The date and minute at which the run was made."""
        return self.created[:16].replace("T", " ")


def ridges(places: Sequence[Path], note: Callable[[str], None] = lambda _line: None) -> list[Ridge]:
    """Return runs with figures by their conditions, oldest first. Raises InputError if there are
    none, or too many.

    What was read before and has not changed is taken from the user's index of figures; `note` gets
    a line if that was damaged.
    """
    paths = run_files(places)
    with FiguresIndex(index_path(), note) as index:
        found = [ridge for ridge in _ridges(paths, index) if ridge is not None]
    if not 1 <= len(found) <= RUNS_MAX:
        raise InputError(f"history: {len(found)} runs with values; valid: 1 to {RUNS_MAX}")
    subjects = sorted({ridge.subject for ridge in found})
    if len(subjects) > 1:
        raise InputError(
            f"history: runs of {', '.join(subjects)}; valid: runs of one measurement, name the "
            "files of one of them"
        )
    return sorted(found, key=lambda ridge: (ridge.group, ridge.created, ridge.name))


def _ridges(paths: Sequence[Path], index: FiguresIndex) -> Iterator[Ridge | None]:
    absolute = {path: path.absolute() for path in paths}
    stamps = stamps_of(absolute.values())
    texts = index.find(IndexKind.RIDGE, stamps)
    known = {path: _Kept.of(text) for path, text in texts.items()}
    unknown = [path for path in dict.fromkeys(paths) if known.get(absolute[path]) is None]
    for path, answer in zip(unknown, each_in_child(unknown, _told), strict=True):
        kept, whole = _Kept.of(answer), absolute[path]
        if kept is None:
            raise InputError(f"{path}: its histogram cannot be shown")
        known[whole] = kept
        if whole in stamps:
            index.add(IndexKind.RIDGE, whole, stamps[whole], kept.text)
    for path in paths:
        kept_ridge = known[absolute[path]]
        yield None if kept_ridge is None else kept_ridge.ridge(path)


@dataclass(frozen=True)
class _Kept:
    """The index's text of a file, decoded; without values if the file has none to show."""

    head: _Head
    values: Int64Array
    """Latencies in units, ascending, at most KEPT_BINS."""
    counts: Int64Array

    @classmethod
    def of(cls, text: str | bytes) -> Self | None:
        """Return a text decoded; None for one that this rig does not make."""
        try:
            head = json_object(text)
            steps, counts = (_whole_numbers(head.pop(name)) for name in ("steps", "counts"))
            if len(steps) != len(counts) or np.any(counts < 1) or np.any(steps[1:] < 1):
                return None
            return cls(decoded(_Head, head), np.cumsum(steps), counts)
        except (ValueError, TypeError, KeyError, OverflowError):
            return None

    @property
    def text(self) -> str:
        columns = {"steps": np.diff(self.values, prepend=0), "counts": self.counts}
        lists = {name: column.tolist() for name, column in columns.items()}
        return json.dumps({**asdict(self.head), **lists}, separators=(",", ":"))

    def ridge(self, path: Path) -> Ridge | None:
        """Return the run for the picture; None if there are no values."""
        if not len(self.values):
            return None
        head, latency_us = self.head, self.values.astype(np.float64) * self.head.unit_us
        group = RidgeGroup(head.system, head.variant, head.scenario)
        unit_us = head.unit_us * head.step
        return Ridge(path, head.created, head.subject, group, latency_us, self.counts, unit_us)


@dataclass(frozen=True)
class _Head:
    """All fields of a _Kept but the columns."""

    created: str
    subject: str
    system: str
    variant: str
    scenario: str
    unit_us: float = 0.0
    step: int = 1
    """Units that are counted together."""


def _whole_numbers(found: object) -> Int64Array:
    """Return a list of whole numbers. Raises ValueError, OverflowError for anything else."""
    if not isinstance(found, list) or not set(map(type, found)) <= {int}:
        raise ValueError("valid: a list of whole numbers")
    return np.array(found, np.int64)


def _told(path: Path) -> bytes:
    """Return what a child process sends of a file."""
    return _of_file(path).text.encode()


def _of_file(path: Path) -> _Kept:
    with RunFile(path) as file:
        settings = checked_settings(file)
        values, counts = file.histogram()
        evaluation = stored_evaluation(file)
        head = _Head(
            file.created,
            measurement_of(settings.measurement).subjects[-1].title,
            fixture_name(file),
            measurement_of(settings.measurement).variant(settings),
            settings.scenario,
        )
    if not len(values):
        return _Kept(head, values, counts)
    if evaluation is None:  # of an older rig
        evaluation = read(path).evaluation
        values, counts = evaluation.histogram.values, evaluation.histogram.counts
    unit_us = _unit_us(path, evaluation, int(values[-1]))
    values, counts, step = thinned(values, counts)
    return _Kept(replace(head, unit_us=unit_us, step=step), values, counts)


def thinned(values: Int64Array, counts: Int64Array) -> tuple[Int64Array, Int64Array, int]:
    """Return at most KEPT_BINS values, how often each occurred, and units counted together.

    No count is lost, and the largest value stays what it is.
    """
    step = -(-(int(values[-1]) - int(values[0]) + 1) // (KEPT_BINS - 1))
    if len(values) <= KEPT_BINS:
        return values, counts, 1
    places, first = np.unique((values - values[0]) // step, return_index=True)
    middles = values[0] + places * step + step // 2
    middles[-1] = values[-1]
    return middles, np.add.reduceat(counts, first), step


def _unit_us(path: Path, evaluation: Evaluation, largest: int) -> float:
    """Return the unit of the histogram's values: samples, or the target's ticks."""
    unit_ns, max_ns = evaluation.primary.unit_ns, evaluation.figures.max_ns
    if max_ns is None or not math.isclose(largest * unit_ns, max_ns, rel_tol=_CLOSE):
        raise InputError(
            f"{path}: its figures and its histogram do not fit; rig analyze {quoted(path)}"
        )
    return unit_ns / 1e3


def grid(runs: Sequence[Ridge]) -> npt.NDArray[np.float64]:
    """Return edges of at most BINS + 1 equal bins that hold all values of all runs, in us.

    Each is as wide as a whole number of the coarsest run's units, so that none is empty for want of
    values that it could hold.
    """
    low_us = min(float(run.latency_us[0]) for run in runs)
    high_us = max(run.worst_us for run in runs)
    unit_us = max(run.unit_us for run in runs)
    width_us = unit_us * max(1, math.ceil((high_us - low_us) / unit_us / BINS))
    count = int((high_us - low_us) / width_us + 0.5) + 1
    return np.asarray(low_us - width_us / 2 + width_us * np.arange(count + 1), np.float64)


def binned(run: Ridge, edges: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the number of values in each bin, shape (k,), for k + 1 edges."""
    counts, _ = np.histogram(run.latency_us, edges, weights=run.counts.astype(np.float64))
    whole: npt.NDArray[np.int64] = np.round(counts).astype(np.int64)
    return whole


def history_page(runs: Sequence[Ridge]) -> str:
    """Return the pictures, and the worst value of each run, as a self-contained HTML page.

    Raises InputError for runs under more different conditions than a page has room for.
    """
    groups = [(group, list(of)) for group, of in groupby(runs, key=lambda run: run.group)]
    if len(groups) > GROUPS_MAX:
        raise InputError(
            f"history: runs under {len(groups)} different conditions (system, variant, load); "
            f"valid: 1 to {GROUPS_MAX}, name the files of fewer"
        )
    sections = [
        part for number, (group, of) in enumerate(groups, 1) for part in _picture(number, group, of)
    ]
    subject = runs[0].subject
    title = f"History of {subject}, {_runs(len(runs))}"
    worst = _worst(runs) if len(groups) > 1 else ""
    document = ReportDocument(title, worst, (*sections, *_all_runs(runs)))
    return page_of([document])


def _picture(number: int, group: RidgeGroup, runs: Sequence[Ridge]) -> tuple[Section, ...]:
    edges = grid(runs)
    title = f"{group.title}: {_runs(len(runs))}, {runs[0].minute} to {runs[-1].minute}"
    drawn = [HistoryRun(run.minute, binned(run, edges), run.worst_us) for run in runs]
    caption = (
        "The oldest run is in front. Height: how often, on the logarithmic scale of the axis at "
        "the front; a dot is an observed maximum."
    )
    if len(runs) > LAYERS_MAX:
        caption += (
            f" {LAYERS_MAX} layers, each of neighboring runs: it has the largest count of any of "
            "them at each latency, and the largest maximum."
        )
    draw = partial(history_svg, f"history{number}", title, drawn, edges)
    return section(f"history{number}", title, Note(_worst(runs), strong=True), Plot(caption, draw))


def _worst(runs: Sequence[Ridge]) -> str:
    """Return the worst run in words."""
    worst = max(runs, key=lambda run: run.worst_us)
    n = sum(run.n for run in runs)
    return (
        f"Observed maximum of all {n:,} values: {worst.worst_us:.3f} us, {worst.minute}, in "
        f"{worst.path}"
    )


def _runs(count: int) -> str:
    return f"{count:,} run{'s' * (count != 1)}"


def _all_runs(runs: Sequence[Ridge]) -> tuple[Section, ...]:
    """Return the worst runs as a table, and all of them by date, folded if they are many."""
    head = ("started", "run", "conditions", "n", "observed maximum in µs")

    def table(some: Sequence[Ridge]) -> TextTable:
        rows = ((r.minute, r.name, r.group.title, f"{r.n:,}", f"{r.worst_us:.3f}") for r in some)
        return TextTable(head, tuple(rows), range(3, 5))

    by_date = sorted(runs, key=lambda run: (run.created, run.name))
    if len(runs) <= 2 * WORST:
        return section("runs", "Runs", table(by_date))
    worst = sorted(runs, key=lambda run: -run.worst_us)[:WORST]
    everything = Folded(f"All {_runs(len(runs))} by date", (table(by_date),))
    return section("runs", f"The {WORST} runs with the largest maxima", table(worst), everything)
