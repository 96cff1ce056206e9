# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts and rows of reports and tables that depend on the measurement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Subject:
    """The subject of a table of runs: a measurement, or one of the quantities that it measures."""

    name: str
    title: str
    note: str = ""
    """Remark without which its figures may be misread."""
    published_as: str = ""
    """Name of the subject whose published figures are beside ours; "": its own."""
    begins: str = ""
    """Begin of a periodic task's latency, such as `due`."""
    is_compared: bool = True
    """True: its figures can be compared with those of other rigs."""


@dataclass(frozen=True)
class TableRow:
    """A row of a table of runs: the figures of one run."""

    subject: str
    figures: Mapping[str, float | None]
    """Figures in nanoseconds, by the names of the statistics' fields."""
    n: int | None = None
    """Number of values that they are made of."""
    part: str = ""
    """Name of the part of the measurement; "" if it has one only."""
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

    def rows(self) -> dict[str, str]:
        """Return the measurand of each row of a table of runs, by what the row begins with."""
        return {"": LATENCY}

    def table_rows(self, evaluation: Evaluation, settings: Settings) -> Iterator[TableRow]:  # noqa: ARG002
        """Yield the rows of a table of runs; what the run did not measure is left out."""
        by_name = {each.name: each.statistics for each in evaluation.measurands[1:]}
        for part, measurand in self.rows().items():
            figures = evaluation.figures if measurand == LATENCY else by_name.get(measurand)
            if figures is not None:
                yield TableRow(self.name, figures_of(figures), figures.n, part)


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
