# SPDX-License-Identifier: GPL-3.0-or-later
"""The classic figures, and plots of the distribution of the values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from rig.analysis.uncertainty.measurand import Measurand
from rig.document import Heading, Note, Plot, Section, Values, section
from rig.formatting import capitalized
from rig.instruments import Int64Array
from rig.measurements.registry import measurement_of
from rig.plots.course import course_svg
from rig.plots.histogram import histogram_svg
from rig.plots.tail import TailEstimate, tail_svg
from rig.report.labels import figure_rows
from rig.session.results import Result

PARTS_MAX: Final = 24
"""Most measurands that are drawn beside the first, at some 85 kB and a quarter of a second each."""


def quantity_of(result: Result) -> str:
    """Return the quantity that a run's figures and its distribution are of."""
    return measurement_of(result.settings.measurement).quantity(result.evaluation)


def figures(result: Result) -> tuple[Section, ...]:
    """Return the classic figures."""
    quantity = quantity_of(result)
    answered = ", of all that were answered" if quantity == "latency" else ""
    title = f"{capitalized(quantity)} in microseconds{answered}"
    return section("figures", title, Values(figure_rows(result.evaluation)))


def distribution(result: Result) -> tuple[Section, ...]:
    """Return the values of each measurand: over time, as histogram, and their share above x."""
    primary, *others = result.evaluation.measurands
    limit_ns = result.settings.limits.max_ns
    own = _Drawn(primary, quantity_of(result), "", None if limit_ns is None else limit_ns / 1e3)
    has_events = measurement_of(result.settings.measurement).has_events
    return (
        *section(
            "distribution",
            "Distribution" if has_events else "Values",
            None if has_events else own.course(),  # that of events is in a section of its own
            own.histogram(),
            own.share_above(_estimate(result)),
        ),
        *section("parts", "Everything else that was measured", *_others(others)),
    )


def _others(measurands: Sequence[Measurand]) -> Iterator[Heading | Note | Plot | None]:
    drawn_of = [each for each in measurands if each.histogram.n]
    for number, each in enumerate(drawn_of[:PARTS_MAX], 2):
        quantity = each.name.replace("_", " ")
        drawn = _Drawn(each, quantity, str(number), None)
        yield Heading(capitalized(quantity))
        yield drawn.course()
        yield drawn.histogram()
        yield drawn.share_above(None)
    if len(drawn_of) > PARTS_MAX:
        left = ", ".join(each.name.replace("_", " ") for each in drawn_of[PARTS_MAX:])
        yield Note(f"Not drawn here, but in the window and in the CSV: {left}.")


@dataclass(frozen=True)
class _Drawn:
    """The plots of a measurand."""

    measurand: Measurand
    quantity: str
    number: str
    """Number by which its plots are told from others' on the page; "" for the first."""
    limit_us: float | None

    @property
    def _values(self) -> tuple[Int64Array, Int64Array, float]:
        found = self.measurand.histogram
        return found.values, found.counts, self.measurand.unit_ns

    @property
    def _is_small(self) -> bool:
        return bool(self.number)

    def course(self) -> Plot | None:
        """Return all values over time; None if their order is not known."""
        found, n = self.measurand.course, self.measurand.histogram.n
        if found is None or not n:
            return None
        caption = f"All {n:,} values over time."
        if found.scatter is not None and found.scatter.n < n:
            caption = f"{found.scatter.n:,} of {n:,} values as points, and the extremes of all."
        draw = partial(
            course_svg, f"course{self.number}", found, self.measurand.unit_ns,
            quantity=self.quantity, limit_us=self.limit_us,
        )  # fmt: skip
        return Plot(caption, draw)

    def histogram(self) -> Plot | None:
        """Return the counts of the values."""
        n, average_ns = self.measurand.histogram.n, self.measurand.statistics.average_ns
        if not n:
            return None
        draw = partial(
            histogram_svg, *self._values,
            average_us=None if average_ns is None else average_ns / 1e3,
            limit_us=self.limit_us, quantity=self.quantity, name=f"histogram{self.number}",
            is_small=self._is_small,
        )  # fmt: skip
        caption = f"All {n:,} values; none is left out. The count is logarithmic."
        return Plot("" if self._is_small else caption, draw, is_small=self._is_small)

    def share_above(self, estimate: TailEstimate | None) -> Plot | None:
        """Return the share of the values above each."""
        n = self.measurand.histogram.n
        if not n:
            return None
        told = (
            "Exact binomial interval of each share, for independent events. Beyond the observed "
            f"maximum nothing was seen in {n:,} events: it is not a bound."
        )
        if estimate is not None:
            told += (
                f" The diamond is the level that an event in {1 / estimate.share:,.0f} exceeds, "
                "estimated with its 95 % interval; no guarantee."
            )
        draw = partial(
            tail_svg, *self._values, limit_us=self.limit_us, estimate=estimate,
            quantity=self.quantity, name=f"tail{self.number}", is_small=self._is_small,
        )  # fmt: skip
        return Plot("" if self._is_small else told, draw, is_small=self._is_small)


def _estimate(result: Result) -> TailEstimate | None:
    """Return the tail's estimate, unless it was refused."""
    inference = result.evaluation.primary.inference
    tail = None if inference is None else inference.tail
    if tail is None or tail.level is None or tail.interval is None:
        return None
    interval = tail.interval.scaled(1e-3)
    if interval.low is None or interval.high is None:
        return None
    return TailEstimate(tail.probability, tail.level / 1e3, interval.low, interval.high)
