# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a run beside its plots: provisional while it goes on, then those of its file."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from gui.engine.outcome import Outcome
from gui.engine.snapshot import Snapshot
from gui.pages.run.found import (
    Group,
    gap_rows,
    rate_text,
    saturation_of,
    saturation_rows,
    silent_tools,
    tool_rows,
)
from gui.plots.words import NONE, count, duration, us
from gui.theme import GAP, GAP_L, GAP_S
from gui.theme.theme import figures_font
from gui.widgets.figures import FigureRows, Row
from gui.widgets.labels import PlainLabel, caption, dim

CLASSES: Final = (
    "answered", "late", "missed", "merged", "ambiguous", "duplicate", "spurious", "glitches",
)  # fmt: skip
GRAVE: Final = ("missed", "duplicate", "spurious")
SOUGHT: Final = ("missed", "late", "merged")
"""What a search for the highest rate is to find."""
BEHIND_NS: Final = 200_000_000
"""The host is behind by more than it usually is."""


class FiguresPanel(QFrame):
    """Worst value in large digits, the classic figures, every class of event, the bench."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._worst_caption = caption()
        self._worst = PlainLabel(NONE)
        self._worst.setFont(figures_font(24, bold=True))
        self._points = 24
        self.found = FigureRows()
        self.tools = FigureRows()
        self._silent_tools = dim()
        self._silent_tools.setWordWrap(True)
        self.measured = FigureRows()
        self.figures = FigureRows()
        self.counts = FigureRows()
        self.bench = FigureRows()
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP_L, GAP, GAP_L, GAP)
        column.setSpacing(GAP_S)
        column.addWidget(self._worst_caption)
        column.addWidget(self._worst)
        for rows in (
            self.found, self.tools, self._silent_tools, self.measured, self.figures, self.counts,
            self.bench,
        ):  # fmt: skip
            column.addWidget(rows)
            rows.setContentsMargins(0, 0, 0, GAP)
        column.addStretch(1)
        self.retranslate()
        self.show_snapshot(Snapshot())

    @property
    def worst(self) -> str:
        """The large figure as it is shown."""
        return self._worst.text()

    def retranslate(self) -> None:
        """Texts in the language in force."""
        self.figures.set_title(self.tr("Figures, µs"))
        self.counts.set_title(self.tr("Events"))
        self.bench.set_title(self.tr("Bench"))

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """A run that goes on."""
        self._worst_caption.setText(self._worst_words(snapshot))
        worst = us(snapshot.worst_ns)
        if snapshot.hold:
            self._show_large(snapshot.hold.rpartition(" ")[2])
        else:
            self._show_worst(worst)
        for rows in (self.found, self.tools, self._silent_tools, self.measured):
            rows.hide()
        without = snapshot.is_periods or snapshot.is_values
        self.figures.setHidden(without)
        self.figures.set_rows(
            []
            if without
            else [
                Row(self.tr("average"), us(snapshot.average_ns)),
                Row(self.tr("min"), us(snapshot.min_ns)),
                *([Row(self.tr("max"), worst)] if snapshot.is_search else []),
            ]
        )
        self.counts.set_rows(self._classes(snapshot))
        self.bench.set_rows(self._bench(snapshot))
        self.bench.show()

    def _worst_words(self, snapshot: Snapshot) -> str:
        if snapshot.is_values:
            return self.tr("Values follow at the end")
        if snapshot.is_periods:
            return self.tr("Worst interval error so far")
        if snapshot.hold:
            number = snapshot.hold.partition(" at ")[0].rpartition(" ")[2]
            return self.tr("Rate tried now, hold {0}").format(number)
        return self.tr("Worst latency so far")

    def show_outcome(self, outcome: Outcome) -> None:
        """A finished run: the texts of `rig show`."""
        figures = dict(outcome.figures)
        worst = figures.get("max", NONE)
        self._worst_caption.setText(self.tr("Observed maximum"))
        self.measured.setVisible(bool(outcome.measured))
        if outcome.measured:
            name, texts = outcome.measured[0]
            self.measured.set_title(f"{name}, µs")
            self.measured.set_rows([Row(each, text) for each, text in texts])
            if outcome.is_periods:
                self._worst_caption.setText(self.tr("Worst interval error"))
                worst = worst_of(dict(texts))
        self._show_worst(worst if worst != "-" else NONE)
        sought = self._show_found(outcome)
        self.figures.show()
        self.figures.set_rows([Row(name, value) for name, value in outcome.figures])
        self.counts.set_rows(
            [Row(name, value, _tone(name, value, sought=sought)) for name, value in outcome.counts]
        )
        self.bench.hide()  # it is closed; the report tells how it was

    def _show_found(self, outcome: Outcome) -> bool:
        """What is beside the figures; whether a rate was searched for."""
        rates = saturation_of(outcome)
        group = gap_rows(outcome) if rates is None else saturation_rows(rates)
        if rates is not None:
            reached = rates.lost_ns is None and rates.kept_ns is not None
            self._worst_caption.setText(
                self.tr("Kept up with all rates, to")
                if reached
                else self.tr("Highest rate kept up with")
            )
            self._show_large(rate_text(rates))
        elif group is not None:
            self._worst_caption.setText(self.tr("Longest interval"))
        _fill(self.found, group)
        _fill(self.tools, tool_rows(outcome))
        silent = silent_tools(outcome)
        self._silent_tools.setText(silent)
        self._silent_tools.setVisible(bool(silent))
        return rates is not None

    def _show_worst(self, text: str) -> None:
        self._show_large(text if text == NONE else f"{text} µs", digits=len(text))

    def _show_large(self, text: str, digits: int = 0) -> None:
        points = 24 if (digits or len(text)) < 8 else 18
        if points != self._points:  # by a sheet: a change of colors sets fonts back
            self._points = points
            self._worst.setStyleSheet(f"font-size: {points}pt")
        self._worst.setText(text)

    def _classes(self, snapshot: Snapshot) -> list[Row]:
        if snapshot.is_values:
            return [
                Row(self.tr("values planned"), count(snapshot.planned)),
                Row(self.tr("edges seen"), count(snapshot.events)),
            ]
        events = self.tr("periods") if snapshot.is_periods else self.tr("stimuli")
        seen = NONE
        if snapshot.planned:
            words = self.tr("{0} of {1}")
            if snapshot.hold:
                words = self.tr("{0} of {1} at most")
            seen = words.format(count(snapshot.events), count(snapshot.planned))
        rows = [Row(events, seen)]
        for name in () if snapshot.is_periods else CLASSES:
            value = count(snapshot.counts.get(name, 0))
            rows.append(Row(name, value, _tone(name, value, sought=snapshot.is_search)))
        return rows

    def _bench(self, snapshot: Snapshot) -> list[Row]:
        behind = snapshot.backlog_now_ns
        remaining = NONE if snapshot.remaining_s is None else duration(snapshot.remaining_s)
        if snapshot.hold and snapshot.remaining_s is not None:
            remaining = self.tr("{0} at most").format(remaining)
        started = snapshot.planned > 0
        return [
            Row(self.tr("remaining"), remaining if started else NONE),
            Row(self.tr("rate"), f"{snapshot.rate_hz:,.0f} /s" if snapshot.rate_hz else NONE),
            Row(
                self.tr("backlog"),
                f"{behind / 1e6:,.0f} ms" if started else NONE,
                "warn" if behind > BEHIND_NS else "",
                self.tr("How far the host is behind the analyzer; at most {0} ms so far").format(
                    f"{snapshot.backlog_max_ns / 1e6:,.0f}"
                ),
            ),
            Row(
                self.tr("loss"),
                count(snapshot.losses) if started else NONE,
                "bad" if snapshot.losses else "",
                self.tr("Signs that samples may be missing"),
            ),
            self._target(snapshot, started=started),
        ]

    def _target(self, snapshot: Snapshot, *, started: bool) -> Row:
        words = {
            "connecting": (self.tr("connecting"), "dim"),
            "armed": (self.tr("armed"), ""),
            "measuring": (self.tr("measures by itself"), ""),
            "answering": (self.tr("answering"), "good"),
            "silent": (self.tr("silent, {0} open").format(count(snapshot.unanswered)), "bad"),
            "stopped": (self.tr("stopped"), ""),
        }
        text, tone = words[snapshot.target]
        return Row(self.tr("target"), text if started else NONE, tone if started else "")


def worst_of(texts: dict[str, str]) -> str:
    """Of the least and the largest error that farther from 0, without its sign."""
    ends = [texts[name] for name in ("min", "max") if texts[name] != "-"]
    return max(ends, key=lambda text: abs(float(text))).lstrip("-") if ends else "-"


def _fill(rows: FigureRows, group: Group | None) -> None:
    rows.setVisible(group is not None)
    if group is not None:
        rows.set_title(group[0])
        rows.set_rows(group[1])


def _tone(name: str, value: str, *, sought: bool = False) -> str:
    """`sought`: a search for the rate at which answers are lost."""
    if name in ("stimuli", "answered", "periods", "values") or value == "0":
        return ""
    if sought and name in SOUGHT:
        return ""
    return "bad" if name in GRAVE else "warn"
