# SPDX-License-Identifier: GPL-3.0-or-later
"""One figure, one text: window, terminal, JSON and page of different runs, label by label."""

from __future__ import annotations

import contextlib
import io
import json
import re

import pytest
from PySide6.QtWidgets import QLabel
from rich.console import Console

from gui.pages.results import loader
from gui.pages.results.page import COMPARE
from gui.pages.run.figures import FiguresPanel
from gui.plots.number_texts import NONE
from rig.errors import InputError
from rig.formatting import with_unicode_signs as micro
from rig.record.reader import RunFile
from rig.report.run_report import run_report
from rig.report.terminal import print_report
from rig.session.results import document, read
from rig.session.stored_results import is_whole, stored_result
from tests.gui.results_runs import results_page, shown_by_rig
from tests.gui.tables import Tables, even, folded, plain, shown_tables
from tests.gui.ten_runs import RUNS, measure_ten

# Sixteen runs of the virtual bench come first.
pytestmark = [pytest.mark.timeout(400), pytest.mark.slow]

FIGURES = {
    "average": "average_ns",
    "min": "min_ns",
    "max": "max_ns",
    "gap": "gap_ns",
    "deviation": "deviation_ns",
    "median": "median_ns",
    "IQR": "interquartile_range_ns",
    "p99": "p99_ns",
    "p99.9": "p99_9_ns",
}
JUDGMENTS = ("kept", "EXCEEDED", "cannot tell", "agree", "DISAGREE")
CLASSES = ("answered", "late", "missed", "merged", "ambiguous", "duplicate", "spurious", "glitches")


class Said:
    """What each of the others says of a run."""

    def __init__(self, path, page) -> None:
        result = read(path)
        self.document = json.loads(json.dumps(document(result)))
        self.counts = self.document["counts"]
        self.figures = self.document["measurands"][0]["statistics"]
        self.details = self.document["details"] or {"kind": ""}
        console = Console(file=io.StringIO(), width=100)
        print_report(console, run_report(result))
        self.printed = console.file.getvalue()
        self.page = Tables()
        self.page.feed(page.read_text())

    @property
    def texts(self) -> dict[str, str]:
        """The classic figures as JSON has them, written as the reports write."""
        values = {name: self.figures[key] for name, key in FIGURES.items()}
        return {"n": f"{self.figures['n']:,}"} | {
            name: "-" if value is None else f"{value / 1e3:.3f}" for name, value in values.items()
        }


def facts(printed: str) -> list[tuple[str, str]]:
    """Lines of the terminal that have a name and words."""
    lines = [line for line in printed.splitlines() if line.startswith("  ") and line[2:3].isalpha()]
    found = [(line[2:14].strip(), plain(line[14:])) for line in lines if line[13:14] == " "]
    # A row of counts has no name: it begins with one of them.
    return [
        (name, text) for name, text in found if name not in JUDGMENTS and not name[-1].isdigit()
    ]


@pytest.fixture(scope="module")
def ten(tmp_path_factory):
    """Outcome and what the others say, by run."""
    outcomes = measure_ten(tmp_path_factory.mktemp("ten"))
    assert len(outcomes) == len(RUNS) + 1 == 16
    return {name: (outcome, Said(outcome.path, outcome.page)) for name, outcome in outcomes.items()}


def test_the_runs_differ(ten):
    """Else the comparisons below would compare little."""
    verdicts = {outcome.verdict for outcome, _ in ten.values()}
    assert {"pass", "fail"} < verdicts
    assert len({tuple(said.texts.values()) for _, said in ten.values()}) == 16
    for name in CLASSES[1:]:
        assert any(said.counts[name] for _, said in ten.values()), name
    kinds = {said.details["kind"] for _, said in ten.values()}
    assert {"period", "self_trigger", "toggle_gaps", "saturation"} <= kinds
    assert sum(bool(said.document["tools"]) for _, said in ten.values()) == 2


def test_the_run_page(ten, qtbot):
    panel = FiguresPanel()
    qtbot.addWidget(panel)
    for outcome, said in ten.values():
        panel.show_outcome(outcome)
        assert json.loads(json.dumps(outcome.document)) == said.document
        assert {row.name: row.value for row in panel.figures.rows} == said.texts
        shown = {label.text() for label in panel.figures.findChildren(QLabel)}
        assert set(said.texts.values()) <= shown
        worst = said.texts["max"]
        if outcome.is_periods:
            error = said.details["pins"]["interval_error"]
            worst = f"{max(-error['min_ns'], error['max_ns']) / 1e3:.3f}"
        large = NONE if worst == "-" else f"{worst} µs"
        if said.details["kind"] == "saturation":
            large = f"{1e9 / said.details['sustained_ns']:,.0f}/s"
            assert f"Saturation: highest rate kept up with {large}" in said.printed
        assert panel.worst == large
        check_found(panel, said)
        check_measured(panel, outcome, said)
        counts = {row.name: row.value for row in panel.counts.rows}
        kind = said.details["kind"]
        events = {"period": "periods", "values": "values", "toggle_gaps": "values"}
        assert counts[events.get(kind, "stimuli")] == f"{said.counts['n']:,}"
        for name in CLASSES:
            assert counts[name] == f"{said.counts[name]:,}"
            assert f"{name} {counts[name]}" in said.printed
        check_timeline(outcome, said)


def check_timeline(outcome, said):
    """The maxima over time are of the same latencies as the figures, and so are its marks."""
    timeline = outcome.timeline
    assert (timeline is None) == (outcome.is_periods or outcome.is_inside)
    if timeline is not None:
        drawn = timeline.arrays()
        for name in ("missed", "late", "merged"):
            assert drawn[name].sum() == said.counts[name]
        sample_ns = outcome.document["sample_period_ns"]
        highest_us = max(drawn["max_samples"]) * sample_ns / 1e3
        assert said.texts["max"] == (NONE if highest_us < 0 else f"{highest_us:.3f}")


def check_found(panel, said):
    """A rate, gaps, the target's tools: panel, terminal and JSON."""
    found = {row.name: row.value for row in panel.found.rows if not panel.found.isHidden()}
    rates = gaps = said.details
    if said.details["kind"] == "saturation":
        told = dict(facts(said.printed))
        for name in ("spacing", "first lost", "limit"):
            assert micro(told[name]).startswith(found[name])
        assert found["limit"].startswith(f"{rates['limit_ns'] / 1e3:.3f} µs (U = ")
    elif said.details["kind"] == "toggle_gaps":
        assert found["gaps"] == f"{gaps['gaps']:,}"
        by_log, same = gaps["gaps_by_log"], gaps["gaps_by_both"]
        words = f"{gaps['gaps']:,} above 50 us by the pin, {by_log:,} by the log, {same:,} the same"
        assert words in said.printed
        per_hour, share = found["rate"].split("/h, ")
        assert f"{per_hour} gaps an hour, {share}" in said.printed
    else:
        assert not found
    assert panel.tools.isHidden() == (not said.document["tools"])
    lines = [line.strip() for line in said.printed.splitlines()]
    for row in panel.tools.rows if said.document["tools"] else ():
        (line,) = [line for line in lines if re.match(rf"{row.name} +[0-9-]+ +[0-9.-]+ ", line)]
        assert row.value.replace(NONE, "-") in line.split()[-2:]


def check_measured(panel, outcome, said):
    """What a measurement has beside its latency: panel, terminal and page."""
    assert panel.measured.isHidden() == (not outcome.measured)
    if outcome.measured:
        name = outcome.measured_name
        row = [name, *(text for _, text, _, _ in outcome.measured)]
        assert row in [each for table in said.page.tables for each in table]
        assert row in [[name, *line.split()[-6:]] for line in said.printed.splitlines()]
        assert [each.value for each in panel.measured.rows] == row[1:]


def test_the_results_page(ten, qtbot, settings):
    """Every table of the report page is in the window, every cell; what the terminal says, too."""
    folder = next(iter(ten.values()))[0].path.parent
    with results_page(folder, settings, qtbot) as page:
        for outcome, said in ten.values():
            assert page.table.select(outcome.path)
            qtbot.waitUntil(lambda p=outcome.path: page.shown_run == p, timeout=60_000)
            document = page.report.text.document()
            expected = even(folded(said.page.tables))
            with contextlib.suppress(qtbot.TimeoutError):  # the comparison below tells more
                qtbot.waitUntil(lambda d=document, e=expected: shown_tables(d) == e, timeout=60_000)
            assert shown_tables(document) == expected
            text = plain(document.toPlainText().replace("\n", " "))
            for name, words in facts(said.printed):
                if name != "uncertainty":  # there it is a table
                    assert f"{name} {micro(words)}" in text
            assert said.document["verdict"].upper() in text
            assert all(micro(plain(reason)) in text for reason in said.document["reasons"])
            for witness in said.document["witnesses"]:
                assert f"{witness['name']} {micro(plain(witness['text']))}" in text
            assert not re.search(r"\d us\b", text)  # one way to write microseconds
            check_figures(shown_tables(document), said)
            check_limits(shown_tables(document), said)
            check_row(page, outcome.path, said)
            check_comparison(page, said)


def check_figures(tables, said):
    """The classic ones: window, terminal and JSON; the budgets: window and JSON."""
    names, values, *others = next(t for t in tables if t[0][0] == "n" and "average" in t[0])
    names, values = names + others[0], values + others[1]
    assert dict(zip(names, values, strict=True)) == said.texts
    lines, compared = said.printed.splitlines(), []
    for at, line in enumerate(lines):
        heads = line.split()
        if heads in (list(said.texts)[:6], list(said.texts)[6:]):
            numbers = lines[at + 1].split()
            if len(numbers) == len(heads):  # else it is a table of the measurement's own
                compared.append(dict(zip(heads, numbers, strict=True)))
    assert said.texts == {name: text for part in compared for name, text in part.items()}


def check_limits(tables, said):
    """Window and terminal, each limit of the plan."""
    found = [table for table in tables if table[0][0] in JUDGMENTS and len(table[0]) == 3]
    told = {
        micro(plain(line)) for line in said.printed.splitlines() if line[2:].startswith(JUDGMENTS)
    }
    assert told == {
        plain(f"{judgment} {title}: {text}") for table in found for judgment, title, text in table
    }


def check_row(page, path, said):
    """The run's line in the table of runs."""
    model = page.folder.model
    row = model.row_of(path)
    keys = [column.key for column in model.columns]
    cells = {key: model.index(row, column).data() for column, key in enumerate(keys)}
    assert cells["verdict"] == said.document["verdict"]
    assert cells["n"] == f"{said.figures['n']:,}"
    for name in ("average", "p99", "max"):
        assert cells[name] == said.texts[name].replace("-", NONE)


def check_comparison(page, said):
    """The run's line on the page of comparisons, and the words over its curves."""
    page.tabs.setCurrentIndex(COMPARE)
    table = page.compare.table
    heads = [table.horizontalHeaderItem(column).text() for column in range(table.columnCount())]
    cells = [table.item(0, column).text() for column in range(table.columnCount())]
    assert dict(zip(heads, cells, strict=True)).items() >= said.texts.items()
    page.tabs.setCurrentIndex(0)


def test_the_command_line_itself(ten, capsys):
    """What was compared with is what `rig show` prints, of each of them."""
    for outcome, said in ten.values():
        assert said.printed.split() == shown_by_rig(capsys, outcome.path).split()
        assert said.document == json.loads(shown_by_rig(capsys, outcome.path, "--json"))


def test_a_long_run_shows_what_is_stored_of_it(ten, monkeypatch, qtbot, settings):
    """It is not computed again, and says so unless all of it came back; all that it shows is what
    the others say."""
    monkeypatch.setattr(loader, "EDGES_MAX", 0)
    folder = next(iter(ten.values()))[0].path.parent
    with results_page(folder, settings, qtbot) as page:
        for outcome, said in ten.values():
            with RunFile(outcome.path) as file:
                whole = is_whole(file, stored_result(file))
            assert page.table.select(outcome.path)
            qtbot.waitUntil(lambda p=outcome.path: page.shown_run == p, timeout=60_000)
            document = page.report.text.document()
            if not whole:
                qtbot.waitUntil(lambda d=document: "rig report" in d.toPlainText(), timeout=60_000)
            shown, expected = shown_tables(document), even(folded(said.page.tables))
            check_figures(shown, said)
            known = {tuple(row) for table in expected for row in table}
            assert {tuple(row) for table in shown for row in table} <= known
            assert shown == expected or not whole


def test_what_cannot_be_taken_back_is_noticed(ten, monkeypatch):
    """What a newer rig stores and this one does not know is no result to be shown."""
    outcome = next(iter(ten.values()))[0]
    with RunFile(outcome.path) as file:
        found = json.loads(file.evaluation)
        found["measurands"][0]["inference"]["kurtosis"] = 3.0
        monkeypatch.setattr(RunFile, "evaluation", property(lambda _self: json.dumps(found)))
        with pytest.raises(InputError, match=r"measurands\[0\].inference.kurtosis: is not known"):
            stored_result(file)
