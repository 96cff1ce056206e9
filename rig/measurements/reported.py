# SPDX-License-Identifier: GPL-3.0-or-later
"""What reports and tables say of a measurement beyond what they say of every one."""

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
"""Statistics in a measurement's own table."""


@dataclass(frozen=True)
class Subject:
    """What a table of runs is of: a measurement, or one of the things that it measures."""

    name: str
    title: str
    note: str = ""
    """What must be known to read its figures."""
    published_as: str = ""
    """Name of the subject whose published figures stand beside ours; "": its own."""
    begins: str = ""
    """Of a periodic task's latency: what it is counted from."""
    is_compared: bool = True
    """It can stand beside what other rigs have measured."""


@dataclass(frozen=True)
class TableRow:
    """Figures of a run in a table of runs."""

    subject: str
    figures: Mapping[str, float | None]
    """In nanoseconds, by the names of the statistics' fields."""
    n: int | None = None
    """Values that they are made of."""
    part: str = ""
    """Which part of the measurement they are of; "" if it has one only."""
    overruns: int | None = None
    """Periods that were late or missed; None: of something else."""


@dataclass(frozen=True)
class PinLine:
    """What the pins show of that which a tool on the target measures as well."""

    text: str
    """What was measured."""
    n: int
    min_ns: float | None = None
    average_ns: float | None = None
    max_ns: float | None = None


class Reported:
    """What each measurement can say in its own way."""

    name: ClassVar[str]
    events: ClassVar[str] = "stimuli"
    """What its events are called."""
    event_end: ClassVar[str] = "stimulus edge"
    """The first and the last of which bound the time that was measured."""
    time_zero: ClassVar[str] = "the stimulus edge"
    """Where the latency of an event begins."""
    run_zero: ClassVar[str] = "the first stimulus"
    """Where the time of a run begins."""
    has_stimulus_wire: ClassVar[bool] = True
    """The stimulus is drawn with the waveforms."""

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """What tables of its runs are of."""
        return (Subject(self.name, self.name.replace("_", "-")),)

    def cause(self, settings: Settings) -> Fact:
        """What made the events."""
        match settings.source:
            case SelfTriggers(period_ns, number):
                every = f"{number} every {time_text(period_ns)}, by the target itself"
                return Fact("stimulus", every)
            case Train() as train:
                kind = train.shape.name
                return Fact("stimulus", f"{kind} train of {train.count:,}, seed {train.seed}")
        return Fact("stimulus", "not of this rig")

    def conditions(self, settings: Settings) -> tuple[Fact, ...]:
        """What of its events may make a difference between two runs."""
        if not isinstance(settings.source, Train):
            return ()
        train = settings.source
        return (
            Fact("pattern", train.shape.name),
            Fact("count", f"{train.count:,}"),
            Fact("seed", str(train.seed)),
        )

    def quantity(self, evaluation: Evaluation) -> str:  # noqa: ARG002
        """What the figures and the distribution are of, in a word or a few."""
        return "latency"

    def quantity_defined(self, evaluation: Evaluation) -> str:  # noqa: ARG002
        """The same with where it begins and ends, as its budget needs it."""
        return (
            "Latency from the stimulus edge at the target's line to the beginning of the agent's "
            "pin write"
        )

    def headline(self, evaluation: Evaluation) -> Fact:
        """The value that the run was made for; the name as it stands below the value."""
        longest = evaluation.figures.max_ns
        text = microseconds(longest)
        return Fact("observed maximum", text if longest is None else f"{text} us")

    def sections(self, evaluation: Evaluation) -> tuple[Section, ...]:  # noqa: ARG002
        """What it found beside the figures of its own quantity."""
        return ()

    def beside_tools(self, evaluation: Evaluation) -> PinLine | None:  # noqa: ARG002
        """What tools on the target are compared with; None: with nothing."""
        return None

    def rows(self) -> dict[str, str]:
        """Rows of a table of runs: what each begins with, to the measurand that it is of."""
        return {"": LATENCY}

    def table_rows(self, evaluation: Evaluation, settings: Settings) -> Iterator[TableRow]:  # noqa: ARG002
        """Rows of a table of runs; what the run did not measure is left out."""
        by_name = {each.name: each.statistics for each in evaluation.measurands[1:]}
        for part, measurand in self.rows().items():
            figures = evaluation.figures if measurand == LATENCY else by_name.get(measurand)
            if figures is not None:
                yield TableRow(self.name, figures_of(figures), figures.n, part)


def figures_of(statistics: DescriptiveStatistics, shift_ns: int = 0) -> dict[str, float | None]:
    """Times among statistics by name; `shift_ns` is added to all that are no distances."""
    times = {name: value for name, value in vars(statistics).items() if name != "n"}
    return {
        name: None if value is None else value + (0 if name in DISTANCES else shift_ns)
        for name, value in times.items()
    }


def curve_plot(caption: str, curve: Curve) -> Plot:
    """A curve as a picture of the page and a chart of the window."""

    def draw() -> str:
        from rig.plots.curve import curve_svg  # loads matplotlib

        return curve_svg(curve)

    return Plot(caption, draw, curve=curve)


def statistics_table(*rows: tuple[str, DescriptiveStatistics | None]) -> TextTable:
    """A line for each that is there, with the COLUMNS in microseconds."""
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
