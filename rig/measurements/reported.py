# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts and rows of reports and tables that depend on the measurement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Final

from rig.analysis.model.sources import SelfTriggers
from rig.document import Curve, Fact, Plot, Section, TextTable
from rig.formatting import count, microseconds, time_text
from rig.limit_names import DISTANCES, LATENCY
from rig.stimulus.train import Train

if TYPE_CHECKING:
    from rig.analysis.measurements.evaluation import Evaluation
    from rig.analysis.model.settings import Settings
    from rig.analysis.statistics.descriptive import DescriptiveStatistics

COLUMNS: Final = ("average_ns", "min_ns", "max_ns", "gap_ns", "deviation_ns")
"""Statistics that a measurement's own table has."""


PINS, TICKS, CLOCK = "pins", "ticks", "clock"
"""Clocks of figures: the analyzer's, which sees pins, the target's counter, and its clock in ns."""
KERNEL_PORT: Final = "kmod"
"""Port of the agent whose answers come from the kernel; those of others from tasks of the user."""


@dataclass(frozen=True)
class Subject:
    """The subject of a table of runs: a measurement, or one of the quantities that it measures."""

    name: str
    title: str
    note: str = ""
    """Remark without which its figures may be misread."""
    begins: str = ""
    """Begin of a periodic task's latency, such as `due`."""
    is_compared: bool = True
    """True: its figures can be compared with those of other rigs."""


@dataclass(frozen=True)
class TableRow:
    """A row of a table of runs: the figures of one run."""

    subject: str
    figures: Mapping[str, float | None] = field(default_factory=dict)
    """Figures in nanoseconds, by the names of the statistics' fields; none before the run."""
    n: int | None = None
    """Number of values that they are made of."""
    part: str = ""
    """Name of the part of the measurement; "" if it has one only."""
    by: str = PINS
    """Name of the clock that the figures are by."""
    overruns: int | None = None
    """Number of periods that were late or missed; None: the row is not of periods."""


@dataclass(frozen=True)
class PinLine:
    """Figures by the pins of what a tool on the target measures as well."""

    text: str
    """Description of what was measured."""
    n: int
    min_ns: float | None = None
    average_ns: float | None = None
    max_ns: float | None = None


class Reported:
    """The texts and rows that each measurement can define in its own way."""

    name: ClassVar[str]
    events: ClassVar[str] = "stimuli"
    """Name of its events."""
    event_end: ClassVar[str] = "stimulus edge"
    """Name of what bounds the time that was measured, by the first and the last of them."""
    time_zero: ClassVar[str] = "the stimulus edge"
    """Name of what the latency of an event begins with."""
    run_zero: ClassVar[str] = "the first stimulus"
    """Name of what the time of a run begins with."""
    has_stimulus_wire: ClassVar[bool] = True
    """True: the stimulus is drawn with the waveforms."""

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """The subjects of tables of its runs."""
        return (Subject(self.name, self.name.replace("_", "-")),)

    def cause(self, settings: Settings) -> Fact:
        """Return what made the events."""
        match settings.source:
            case SelfTriggers(period_ns, number):
                every = f"{number} every {time_text(period_ns)}, by the target itself"
                return Fact("stimulus", every)
            case Train() as train:
                kind = train.shape.name
                return Fact("stimulus", f"{kind} train of {train.count:,}, seed {train.seed}")
        return Fact("stimulus", "not of this rig")

    def conditions(self, settings: Settings) -> tuple[Fact, ...]:
        """Return the conditions of its events that may differ between two runs."""
        if not isinstance(settings.source, Train):
            return ()
        train = settings.source
        return (
            Fact("pattern", train.shape.name),
            Fact("count", f"{train.count:,}"),
            Fact("seed", str(train.seed)),
        )

    def quantity(self, evaluation: Evaluation) -> str:  # noqa: ARG002
        """Return the name of the quantity of the figures and the distribution, in few words."""
        return "latency"

    def quantity_defined(self, evaluation: Evaluation) -> str:  # noqa: ARG002
        """Return the quantity with where it begins and ends, as its budget needs it."""
        return (
            "Latency from the stimulus edge at the target's line to the beginning of the agent's "
            "pin write"
        )

    def headline(self, evaluation: Evaluation) -> Fact:
        """Return the value that the run was made for, and the name to write below it."""
        longest = evaluation.figures.max_ns
        text = microseconds(longest)
        return Fact("observed maximum", text if longest is None else f"{text} us")

    def sections(self, evaluation: Evaluation) -> tuple[Section, ...]:  # noqa: ARG002
        """Return the sections of its report beside the figures of its own quantity."""
        return ()

    def beside_tools(self, evaluation: Evaluation) -> PinLine | None:  # noqa: ARG002
        """Return the line that tools on the target are compared with; None: with nothing."""
        return None

    def performer(self, settings: Settings, port: str) -> str:  # noqa: ARG002
        """Return the kind of task or handler that was measured, such as `kernel thread`.

        `port`: name of the agent's port; "" if that is not known.
        """
        return ""

    def by(self, settings: Settings) -> str:  # noqa: ARG002
        """Return the clock of the figures in its rows of tables: PINS, TICKS or CLOCK."""
        return PINS

    def rows(self) -> dict[str, str]:
        """Return the measurand of each row of a table of runs, by the name of its part.

        Where a part has a row by each of two clocks, the names end in ` by pins` and ` by ticks`.
        """
        return {"": LATENCY}

    def unmade_rows(self, settings: Settings) -> Iterator[TableRow]:
        """Yield the rows that a run with these settings would have, without figures."""
        for row, _ in self._rows(settings):
            yield row

    def table_rows(self, evaluation: Evaluation, settings: Settings) -> Iterator[TableRow]:
        """Yield the rows of a table of runs; what the run did not measure is left out."""
        by_name = {each.name: each.statistics for each in evaluation.measurands[1:]}
        for row, measurand in self._rows(settings):
            figures = evaluation.figures if measurand == LATENCY else by_name.get(measurand)
            if figures is not None:
                yield replace(row, figures=figures_of(figures), n=figures.n)

    def _rows(self, settings: Settings) -> Iterator[tuple[TableRow, str]]:
        """Yield the rows without figures, and the measurand of each."""
        for name, measurand in self.rows().items():
            part, said, by = f" {name}".rpartition(" by ")
            yield (
                (
                    TableRow(self.name, part=part.strip(), by=by)
                    if said
                    else TableRow(self.name, part=name, by=self.by(settings))
                ),
                measurand,
            )


def figures_of(statistics: DescriptiveStatistics, shift_ns: int = 0) -> dict[str, float | None]:
    """Return times among statistics by name; `shift_ns` is added to all but distances."""
    times = {name: value for name, value in vars(statistics).items() if name != "n"}
    return {
        name: None if value is None else value + (0 if name in DISTANCES else shift_ns)
        for name, value in times.items()
    }


def curve_plot(caption: str, curve: Curve) -> Plot:
    """Return a curve as a picture of the page and a chart of the window."""

    def draw() -> str:
        from rig.plots.curve import curve_svg  # loads matplotlib

        return curve_svg(curve)

    return Plot(caption, draw, curve=curve)


def statistics_table(*rows: tuple[str, DescriptiveStatistics | None]) -> TextTable:
    """Return a table with a line for each that is not None, its COLUMNS in microseconds."""
    return TextTable(
        head=("", "n", *(column.removesuffix("_ns") for column in COLUMNS)),
        rows=tuple(
            (
                name,
                count(figures.n),
                *(microseconds(getattr(figures, column)) for column in COLUMNS),
            )
            for name, figures in rows
            if figures is not None
        ),
        numbers=range(1, len(COLUMNS) + 2),
    )
