# SPDX-License-Identifier: GPL-3.0-or-later
"""The banner of a run's end: verdict with reasons, or what happened and what is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QPushButton

from gui.engine.outcome import Failure, RunResult
from gui.pages.run.choice import RunSelection
from gui.pages.run.series_status import state_words
from gui.widgets.actions import OwnSpace
from gui.widgets.banner import Banner
from rig.campaign.index import RunState
from rig.config.plan import Plan
from rig.formatting import with_unicode_signs
from rig.services.series import RunSeries, SeriesRun


class ResultBanner:
    """The content of a Run page's banner."""

    def __init__(
        self,
        banner: Banner,
        space: OwnSpace,
        show_run: Callable[[Path], object],
        say: Callable[[str], object],
    ) -> None:
        """Take the banner; `show_run`: in Results, `say`: a line for the status bar."""
        self._banner, self._space, self._show_run, self._say = banner, space, show_run, say
        self._by_hand, self._note = "", ""

    def start(self, plan: Plan | None) -> None:
        """Clear the banner for a run of this plan."""
        self._banner.hide()
        self._note = ""
        self._by_hand = "" if plan is None else f"load {plan.scenario}: started by hand"

    def on_progress(self, text: str) -> None:
        """Keep a line in sight that asks the user to start the load by hand."""
        if self._by_hand and text.startswith(self._by_hand):
            self._note = text
            self._banner.set_message("warn", _tr("LOAD BY HAND"), text, [], [])

    def show_bench_failure(self, text: str) -> None:
        """Show a failure in mid-run; the outcome follows when it is evaluated."""
        reasons = [_tr("Computing the figures of what was measured until then …")]
        self._banner.set_message("bad", "INCOMPLETE", text, reasons, [])  # verdicts have one name

    def show_outcome(self, outcome: RunResult) -> None:
        """Show a run that has a file with its figures."""
        reasons = [with_unicode_signs(reason) for reason in outcome.reasons]
        if outcome.failure is not None:
            # It is the first reason; most of the others only follow from it.
            hint = _tr("What was measured until then is in {0}. Mend that and press Run again.")
            reasons.insert(1, hint.format(outcome.path))
        counts = outcome.document["counts"]
        by_wires = outcome.unit_hz is None
        if by_wires and counts["missed"] and counts["missed"] == counts["n"]:
            reasons.insert(
                0,
                _tr("Nothing was answered. Check the wires to the target's interrupt and from its "
                    "answer; the wiring check on the Calibrate page tells which one it is."),
            )  # fmt: skip
        if self._note:
            reasons.insert(0, self._note)
        self._banner.set_message(
            outcome.tone,
            outcome.verdict.upper(),
            outcome.verdict_words,
            reasons,
            self._links(outcome),
        )

    def show_failure(self, failure: Failure) -> None:
        """Show a run that was not begun, or whose process is gone."""
        reasons: list[str] = []
        buttons: list[QPushButton] = []
        if failure.kept is not None:
            kept = failure.kept
            reasons.append(
                _tr("What was measured until then is kept in {0}; Results opens it, and "
                    "`rig recover` makes a clean copy.").format(kept)
            )  # fmt: skip
            buttons.append(self._link(_tr("Show in Results"), lambda: self._show_run(kept)))
        else:
            reasons.append(_tr("Nothing was measured, no file was left."))
        text = f"{failure.message}\n{failure.details}".strip()
        buttons.append(self._link(_tr("Copy"), lambda: self._copy(text)))
        word = _tr("NOT MEASURED") if failure.kept is None else _tr("BROKEN OFF")
        if failure.refused:
            word = _tr("REFUSED")
        self._banner.set_message("bad", word, failure.message, reasons, buttons)

    def show_series(self, series: RunSeries[RunSelection]) -> None:
        """Show several runs, one after the other, with the last banner's text in short."""
        parts = series.parts
        made = [part for part in parts if part.state is not RunState.SKIPPED]
        verdicts = [part.verdict for part in parts if part.verdict]
        passed = verdicts.count("pass")
        tried = [part for part in made if part.state is not RunState.REFUSED]
        reasons = [*_unmade(parts), *(f"{part.item.label}: {state_words(part)}" for part in tried)]
        last = (
            self._banner.text
            if any(part.state in (RunState.FAILED, RunState.LEFT_OUT) for part in parts)
            else ""
        )
        if last:
            reasons.insert(0, " ".join(last.split()))
        text = "\n".join(reasons)
        kind = "good" if made and passed == len(made) else "bad"
        if kind == "bad" and set(verdicts) <= {"pass", "inconclusive"} and not last:
            kind = "warn"
        self._banner.set_message(
            kind,
            _tr("{0} OF {1} PASSED").format(passed, len(made)),
            _tr("a double click on a plan above shows its run"),
            reasons,
            [self._link(_tr("Copy"), lambda: self._copy(text))],
        )

    def open_report(self, page: Path) -> None:
        """Open the report in the browser."""
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(page.absolute())))

    def _link(self, text: str, call: Callable[[], object]) -> QPushButton:
        """Return a button that looks like a link."""
        button = QPushButton(text)
        button.setProperty("link", True)
        button.clicked.connect(lambda _checked=False: call())
        self._space.keep_for(button)
        return button

    def _copy(self, text: str) -> None:
        """Copy a text to the clipboard."""
        QGuiApplication.clipboard().setText(text)
        self._say(_tr("Copied."))

    def _links(self, outcome: RunResult) -> list[QPushButton]:
        return [
            self._link(_tr("Show in Results"), lambda: self._show_run(outcome.path)),
            self._link(_tr("Report"), lambda: self.open_report(outcome.page)),
            self._link(_tr("Copy"), lambda: self._copy(self._banner.text)),
        ]


def _unmade(parts: Sequence[SeriesRun[RunSelection]]) -> list[str]:
    """Return a line for each reason, with all that is skipped or refused for it."""
    found: dict[str, list[SeriesRun[RunSelection]]] = {}
    for part in parts:
        if part.state in (RunState.SKIPPED, RunState.REFUSED):
            found.setdefault(part.reason, []).append(part)
    return [
        f"{'; '.join(part.item.label for part in those)}: {state_words(those[0])}, {reason}"
        for reason, those in found.items()
    ]


def _tr(text: str) -> str:
    return QCoreApplication.translate("ResultBanner", text)
