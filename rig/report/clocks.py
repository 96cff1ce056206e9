# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates of pairs of clocks and constant delays in words: what was found, and their limits."""

from __future__ import annotations

from rig.analysis.crosscheck.clock_rates import ClockPair, shown_ppm
from rig.analysis.crosscheck.constants import ConstantDelay
from rig.analysis.measurements.evaluation import Evaluation
from rig.document import Section, TextTable, section
from rig.formatting import decimals_for


def clocks(evaluation: Evaluation) -> tuple[Section, ...]:
    """Return the rates of all clocks against each other, and their limits."""
    found = evaluation.clocks
    if found is None:
        return ()
    rows = tuple(_row(pair) for pair in found.pairs)
    head = ("pair", "difference", "may be", "by")
    return section("clocks", "Clocks", TextTable(head, rows, range(1, 2)))


def delays(evaluation: Evaluation) -> tuple[Section, ...]:
    """Return the constants that were fitted, and their limits."""
    rows = tuple(_delay(delay) for delay in evaluation.delays)
    return section("delays", "Constant delays", TextTable(("of", "found", "may be", "by"), rows))


def _row(pair: ClockPair) -> tuple[str, str, str, str]:
    return (
        f"{pair.clock} against {pair.reference}",
        _difference(pair),
        f"{shown_ppm(pair.low_ppm)} to {shown_ppm(pair.high_ppm)}",
        pair.source,
    )


def _difference(pair: ClockPair) -> str:
    """Return the difference, with two significant digits of its error if that is known."""
    if not pair.within_ppm > 0:
        return shown_ppm(pair.difference_ppm)
    decimals = decimals_for(pair.within_ppm)
    return f"{pair.difference_ppm:+,.{decimals}f} +- {pair.within_ppm:,.{decimals}f} ppm"


def delay_rows(evaluation: Evaluation) -> list[tuple[str, str, str, str]]:
    """Return a row for each constant delay that was fitted."""
    return [_delay(delay) for delay in evaluation.delays]


def delay_facts(evaluation: Evaluation) -> list[tuple[str, str]]:
    """Return the delays as lines for a terminal; their limits are with the witnesses."""
    lines = [
        line
        for delay in evaluation.delays
        for line in (f"{delay.name}, known by", *(f"  {part}" for part in delay.source.split("; ")))
    ]
    return [("" if number else "delays", line) for number, line in enumerate(lines)]


def _delay(delay: ConstantDelay) -> tuple[str, str, str, str]:
    return (
        delay.name,
        f"{delay.value_ns:,.1f} +- {delay.within_ns:,.1f} ns",
        f"{delay.low_ns:,.1f} to {delay.high_ns:,.1f} ns",
        delay.source,
    )
