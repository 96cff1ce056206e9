# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a run beside its plots: provisional while it goes on, then those of its file."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from gui.engine.outcome import RunResult, ShownRow
from gui.engine.snapshot import Snapshot
from gui.plots.number_texts import NONE, count, duration, us
from gui.theme import GAP, GAP_L, GAP_S
from gui.theme.theme import figures_font
from gui.widgets.figures import FigureRows, Row
from gui.widgets.labels import PlainLabel, caption, dim
from rig.formatting import ABSENT, capitalized, with_unicode_signs

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
            self._show_worst(snapshot.hold.rpartition(" ")[2])
        else:
            self._show_worst(worst if worst == NONE else f"{worst} µs")
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

    def show_outcome(self, outcome: RunResult) -> None:
        """A finished run: the texts of `rig show`."""
        name, value = outcome.headline
        self._worst_caption.setText(self._headline(name))
        self._show_worst(NONE if value == ABSENT else with_unicode_signs(value))
        unit = ", µs"
        for rows, title, shown in (
            (self.found, self.tr("Found"), outcome.found),
            (self.tools, self.tr("Target's tools, {0}").format(outcome.tools_name + unit),
             outcome.tools),
            (self.measured, outcome.measured_name + unit, outcome.measured),
        ):  # fmt: skip
            rows.setVisible(bool(shown))
            rows.set_title(title)
            rows.set_rows(list(map(_row, shown)))
        self._silent_tools.setText("\n".join(map(with_unicode_signs, outcome.silent_tools)))
        self._silent_tools.setVisible(bool(outcome.silent_tools))
        self.figures.show()
        self.figures.set_rows([Row(name, value) for name, value in outcome.figures])
        self.counts.set_rows(list(map(_row, outcome.counts)))
        self.bench.hide()  # it is closed; the report tells how it was

    def _headline(self, name: str) -> str:
        """A name as the reports have it, in the window's language if that knows it."""
        known = {
            "observed maximum": self.tr("Observed maximum"),
            "worst interval error": self.tr("Worst interval error"),
            "longest interval": self.tr("Longest interval"),
            "highest rate kept up with": self.tr("Highest rate kept up with"),
            "kept up with all rates, to": self.tr("Kept up with all rates, to"),
        }
        return known.get(name, capitalized(name))

    def _show_worst(self, text: str) -> None:
        points = 24 if len(text.partition(" ")[0]) < 8 else 18
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


def _row(shown: ShownRow) -> Row:
    name, text, tone, hint = shown
    value = NONE if text == ABSENT else with_unicode_signs(text)
    return Row(name, value, tone, with_unicode_signs(hint))


def _tone(name: str, value: str, *, sought: bool = False) -> str:
    """`sought`: a search for the rate at which answers are lost."""
    if name in ("stimuli", "answered", "periods", "values") or value == "0":
        return ""
    if sought and name in SOUGHT:
        return ""
    return "bad" if name in GRAVE else "warn"
