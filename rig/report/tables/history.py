# SPDX-License-Identifier: GPL-3.0-or-later
"""Many runs of one system in one picture: latency along x, how often along y, run behind run.

It follows the long-term latency plots of OSADL's QA farm: the whole history of a system, with the
worst value of each run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
import numpy.typing as npt

from rig.analysis.measurements.evaluation import Evaluation
from rig.document import Plot, ReportDocument, Section, TextTable
from rig.errors import InputError
from rig.instruments import Int64Array
from rig.measurements.registry import measurement_of
from rig.plots.canvas import BAD, BODY, DIM, PAPER, svg
from rig.record.reader import RunFile
from rig.record.vetting import each_in_child, vet
from rig.report.page import page_of
from rig.report.tables.figures_index import FiguresIndex, IndexKind, index_path, stamps_of
from rig.report.tables.runs import run_files
from rig.session.results import read
from rig.session.settings_check import checked_settings
from rig.session.stored_results import stored_evaluation
from rig.shell_words import quoted
from rig.untrusted.decode import decoded
from rig.untrusted.json_reader import json_object

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS: Final = 200
_TOLD_MAX: Final = 1 << 18
"""Most different values that a child process sends; of a long run there may be more."""
RUNS_MAX: Final = 2000
_CLOSE: Final = 1e-9
_STEP_DECADES: Final = 0.35
"""Distance by which each run is drawn higher than the one before, of the y axis."""
_STEP_SHARE: Final = 0.012
"""Distance by which it is drawn farther right, of the x axis."""


@dataclass(frozen=True)
class Ridge:
    """A run's latencies in microseconds, ascending, and how often each occurred, shapes (k,)."""

    name: str
    created: str
    subject: str
    latency_us: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]
    unit_us: float
    """The unit of which latencies are whole numbers."""

    @property
    def worst_us(self) -> float:
        """The observed maximum."""
        return float(self.latency_us[-1])


def ridges(places: Sequence[Path], note: Callable[[str], None] = lambda _line: None) -> list[Ridge]:
    """Return runs with figures, oldest first. Raises InputError if there are none, or too many.

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
    return sorted(found, key=lambda ridge: (ridge.created, ridge.name))


def _ridges(paths: Sequence[Path], index: FiguresIndex) -> Iterator[Ridge | None]:
    absolute = {path: path.absolute() for path in paths}
    stamps = stamps_of(absolute.values())
    texts = index.find(IndexKind.RIDGE, stamps)
    known = {path: _Kept.of(text) for path, text in texts.items()}
    unknown = [path for path in dict.fromkeys(paths) if known.get(absolute[path]) is None]
    for path, answer in zip(unknown, each_in_child(unknown, _told), strict=True):
        kept, whole = _heard(path, answer), absolute[path]
        known[whole] = kept
        if whole in stamps:
            index.add(IndexKind.RIDGE, whole, stamps[whole], kept.text)
    for path in paths:
        kept_ridge = known[absolute[path]]
        yield None if kept_ridge is None else kept_ridge.ridge(path)


@dataclass(frozen=True)
class _Kept:
    """The index's text of a file, decoded; without values if the file has none to show."""

    created: str
    subject: str
    unit_us: float
    values: Int64Array
    """Latencies in units, ascending."""
    counts: Int64Array

    @classmethod
    def of(cls, text: str | bytes) -> Self | None:
        """Return a text decoded; None for one that this rig does not make."""
        try:
            head = json_object(text)
            steps, counts = (_whole_numbers(head.pop(name)) for name in ("steps", "counts"))
            if len(steps) != len(counts) or np.any(counts < 1) or np.any(steps[1:] < 1):
                return None
            return cls(**asdict(decoded(_Head, head)), values=np.cumsum(steps), counts=counts)
        except (ValueError, TypeError, KeyError, OverflowError):
            return None

    @property
    def text(self) -> str:
        columns = {"steps": np.diff(self.values, prepend=0), "counts": self.counts}
        lists = {name: column.tolist() for name, column in columns.items()}
        head = asdict(_Head(self.created, self.subject, self.unit_us))
        return json.dumps({**head, **lists}, separators=(",", ":"))

    def ridge(self, path: Path) -> Ridge | None:
        """Return the run for the picture; None if there are no values."""
        if not len(self.values):
            return None
        latency_us = self.values.astype(np.float64) * self.unit_us
        return Ridge(path.stem, self.created, self.subject, latency_us, self.counts, self.unit_us)


@dataclass(frozen=True)
class _Head:
    """All fields of a _Kept but the columns."""

    created: str
    subject: str
    unit_us: float


def _whole_numbers(found: object) -> Int64Array:
    """Return a list of whole numbers. Raises ValueError, OverflowError for anything else."""
    if not isinstance(found, list) or not all(type(each) is int for each in found):
        raise ValueError("valid: a list of whole numbers")
    return np.array(found, np.int64)


def _told(path: Path) -> bytes:
    """Return what a child process sends of a file; nothing: it has too many values."""
    kept = _of_file(path)
    return b"" if len(kept.values) > _TOLD_MAX else kept.text.encode()


def _heard(path: Path, answer: bytes) -> _Kept:
    """Return what a child process sent; the parent itself reads what is too long for that."""
    if not answer:
        vet(path)
        return _of_file(path)
    kept = _Kept.of(answer)
    if kept is None:
        raise InputError(f"{path}: its histogram cannot be shown")
    return kept


def _of_file(path: Path) -> _Kept:
    with RunFile(path) as file:
        settings = checked_settings(file)
        values, counts = file.histogram()
        created, evaluation = file.created, stored_evaluation(file)
    subject = measurement_of(settings.measurement).subjects[-1].title
    if not len(values):
        return _Kept(created, subject, 0.0, values, counts)
    if evaluation is None:  # of an older rig
        evaluation = read(path).evaluation
        values, counts = evaluation.histogram.values, evaluation.histogram.counts
    unit_us = _unit_us(path, evaluation, int(values[-1]))
    return _Kept(created, subject, unit_us, values, counts)


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


def history_svg(runs: Sequence[Ridge]) -> str:
    """Return the picture as an <svg> element: the oldest run is in front."""
    edges = grid(runs)
    high_us = float(edges[-1])
    shift_us = (high_us - float(edges[0])) * _STEP_SHARE

    def paint(figure: Figure) -> None:
        axes: Any = figure.add_subplot()
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        for place in range(len(runs) - 1, -1, -1):  # from the back to the front
            counts = binned(runs[place], edges)
            base, right = place * _STEP_DECADES, place * shift_us
            height = np.where(counts > 0, np.log10(np.maximum(counts, 1)) + 0.15, 0.0)
            axes.fill_between(
                edges + right, base, base + np.append(height, 0.0), step="post",
                facecolor=PAPER, edgecolor=BODY, linewidth=0.7,
            )  # fmt: skip
            axes.plot([runs[place].worst_us + right], [base + 0.15], "o", color=BAD, markersize=3)
        for place in _labelled(len(runs)):
            axes.annotate(
                runs[place].created[:16].replace("T", " "),
                (high_us + place * shift_us, place * _STEP_DECADES),
                xytext=(8, 0), textcoords="offset points", color=DIM, fontsize=8,
            )  # fmt: skip
        axes.set_xlabel(
            f"{runs[0].subject} in µs, {len(runs)} runs from front to back; height: how often, on "
            "a logarithmic scale; a dot is the run's observed maximum"
        )

    height_in = min(12.0, 2.5 + 0.12 * len(runs))
    return svg("history", f"History of {len(runs)} runs", paint, height_in=height_in)


def history_page(runs: Sequence[Ridge]) -> str:
    """Return the picture and the worst value of each run, as a self-contained HTML page."""
    rows = tuple(
        (run.created, run.name, str(int(run.counts.sum())), f"{run.worst_us:.3f}") for run in runs
    )
    head = ("started", "run", "n", "observed maximum, us")
    blocks = Plot("", partial(history_svg, runs)), TextTable(head, rows, range(2, 4))
    title = f"History of {len(runs)} runs"
    return page_of([ReportDocument("History", "", (Section("history", title, blocks),))])


def _labelled(count: int) -> list[int]:
    """Return about ten of so many runs, the first and the last among them."""
    step = max(1, (count - 1) // 9)
    return sorted({*range(0, count, step), count - 1})
