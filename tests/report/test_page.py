# SPDX-License-Identifier: GPL-3.0-or-later
"""The page and the comparison of real runs of the virtual bench."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.cli.main import main
from rig.formatting import decimals_for, minute_of, rounded, signed, three_digits
from rig.plots.canvas import MISSING
from rig.record.reader import RunFile
from rig.report.page import pages
from rig.report.pictures import pictures_of
from rig.resources import find_plan
from rig.session.results import read
from tests.cli.command import rig
from tests.resealing import resealed

VOID = {"meta", "br", "path", "use", "rect", "line", "circle", "polyline"}


class Page(HTMLParser):
    """Checks that elements close in order; collects ids, texts and links to elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.text: list[str] = []
        self.outside: list[str] = []
        self.feed(text)
        assert self.open == [], "elements left open"

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src") and not value.startswith("#"):
                self.outside.append(value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A good run and one in which everything goes wrong."""
    folder = tmp_path_factory.mktemp("runs")
    plan = folder / "plan.toml"
    plan.write_text(find_plan("interrupt").read_text() + 'max_latency = "1 s"\n')
    for name, fixture, code in (("good", "virtual", 0), ("bad", "virtual-misbehaving", 1)):
        words = ("--fixture", fixture, "--count", 200, "--out", folder / f"{name}.h5", "--quiet")
        ended = rig("run", plan, *words)
        assert ended.returncode == code, ended.stderr
    return folder


@pytest.fixture(scope="module")
def good(runs):
    return read(runs / "good.h5")


def test_page_of_a_run_is_whole_and_alone(runs):
    text = (runs / "good.html").read_text()
    page = Page(text)
    assert page.outside == []
    assert "<script" not in text
    assert "url(http" not in text
    assert len(set(page.ids)) == len(page.ids)
    for heading in (
        "Latency in microseconds", "Distribution", "Course of the run", "Waveforms", "Events",
        "Witnesses", "Loss", "Uncertainty", "Run", "Environment",
    ):  # fmt: skip
        assert f"{heading}" in page.words
    assert "PASS" in page.words
    assert "No sign of lost samples" in page.words


def test_page_has_light_dark_and_print(runs):
    text = (runs / "good.html").read_text()
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    used = set(re.findall(r"var\(--(\w+)\)", text))
    style = text[: text.index("</style>")]
    for scheme in re.findall(r":root {(?: color-scheme: [\w ]+;)?([^}]*)}", style):
        assert used <= set(re.findall(r"--(\w+):", scheme))


def test_every_outlier_is_marked_and_drawn(runs):
    result = read(runs / "bad.h5")
    counts, pictures = result.evaluation.counts, pictures_of(result)
    found = pictures.outliers
    assert found.count == len(found.first) == counts.late + counts.missed + counts.merged > 0
    text = (runs / "bad.html").read_text()
    drawn = re.findall(r"<figcaption>(\d+): event ([\d,]+), ([\w ]+)</figcaption>", text)
    assert [int(n) for n, _, _ in drawn] == list(range(1, len(pictures.windows) + 1))
    assert "maximum" in {reason for _, _, reason in drawn}


def test_evidence_of_a_bad_run_agrees_with_what_was_counted(runs, capsys):
    found = read(runs / "bad.h5").evaluation
    internal = {each.name: each.internal for each in found.evidence}
    assert internal["missed"] == found.counts.missed
    assert internal["duplicate"] == found.counts.duplicate
    page = Page((runs / "bad.html").read_text()).words
    assert main(["show", f"{runs / 'bad.h5'}"]) == 0
    terminal = " ".join(capsys.readouterr().out.split())
    for text in (page, terminal):
        assert "DIFFER" not in text
        assert all(each.text in text for each in found.evidence)


def test_timeline_has_every_latency(good, runs):
    with RunFile(runs / "good.h5") as file:
        columns = file.events(0, file.event_count)
    latency = columns["response_sample"] - columns["stimulus_sample"]
    timeline = pictures_of(good).timeline
    assert timeline.count.sum() == len(latency)
    assert timeline.total.sum() == latency.sum()
    assert timeline.maximum.max() == latency.max()
    at = int(np.argmax(latency))
    place = np.searchsorted(timeline.edges, columns["stimulus_sample"][at], "right") - 1
    assert timeline.maximum[place] == latency.max()


def test_an_uncertainty_is_the_same_at_each_place(runs):
    """In the headline, in the lines of the figures and in the limit that is judged by it."""
    for name in ("good", "bad"):
        words = Page((runs / f"{name}.html").read_text(encoding="utf-8")).words
        (headline,) = re.findall(r"± ([0-9.]+) µs observed maximum", words)
        (line,) = re.findall(r"observed maximum [0-9.]+ with what .*? U = ([0-9.]+) \(k", words)
        (limit,) = re.findall(r"max latency [0-9.]+ µs \(U = ([0-9.]+) µs\)", words)
        budget = re.search(r"Observed maximum contribution .*? U = ([0-9.]+) µs \(k", words)
        assert (line, limit, budget.group(1)) == (headline, headline, headline)


def test_a_rate_has_the_decimals_to_which_it_is_known(runs):
    words = Page((runs / "good.html").read_text(encoding="utf-8")).words
    rates = re.findall(r"([+-][0-9.]+) ± ([0-9.]+) ppm", words)
    assert len(rates) == 3
    for value, known in rates:
        assert len(value.partition(".")[2]) == len(known.partition(".")[2])
        assert len(known.replace(".", "").lstrip("0")) == 2


def test_what_was_measured_on_begins_with_a_capital(runs):
    words = Page((runs / "good.html").read_text(encoding="utf-8")).words
    assert "scenario idle Target: modelled target of the virtual bench · Fixture: " in words


def test_budget_of_a_virtual_run(good):
    """Nothing but quantization, scatter and the pin write of 50 ns, told by the log's stamps."""
    largest, average = (good.evaluation.primary.budgets[figure] for figure in ("max", "average"))
    assert largest.is_whole
    assert average.is_whole
    by_name = {c.name: c for c in largest.contributions}
    assert by_name["agent's pin write"].correction == pytest.approx(-25.5, abs=1.0)
    assert by_name["channel skew"].uncertainty == 0
    figures = good.evaluation.figures
    parts = {c.name: c.uncertainty for c in average.contributions}
    assert parts["repeatability"] == pytest.approx(figures.deviation_ns / np.sqrt(199))
    # A random train, clocks 38 ppm apart: next to nothing of the quantization stays.
    assert parts["quantization of the stimulus edge"] < 1.5


def test_text_of_a_run_file_cannot_break_the_page(good):
    said = {"environment": {"system": "<script>alert(1)</script>"}}
    text = pages([replace(good, texts={"environment/target": json.dumps(said)})])
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_report_command(runs, tmp_path, capsys):
    out, xml = tmp_path / "both.html", tmp_path / "both.xml"
    words = ["report", f"{runs / 'good.h5'}", f"{runs / 'bad.h5'}", "-o", f"{out}"]
    assert main([*words, "--junit", f"{xml}"]) == 0
    page = Page(out.read_text())
    assert "2 runs" in page.words
    assert len(set(page.ids)) == len(page.ids)
    assert {"run1", "run2"} <= set(page.ids)
    assert len(list(ET.parse(xml).getroot())) == 2  # noqa: S314 - made here
    assert main(words) == 2
    assert "is not overwritten" in capsys.readouterr().err
    assert main(["report", f"{runs / 'good.h5'}", "-o", "a.pdf"]) == 2
    assert "valid names end in .html" in capsys.readouterr().err


def test_without_matplotlib_the_figures_are_still_told(good, monkeypatch):
    for name in [n for n in sys.modules if n.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = Page(pages([good]))
    assert MISSING in page.words
    assert f"{good.evaluation.figures.max_ns / 1e3:.3f}" in page.words


def test_report_of_a_file_without_figures(runs, tmp_path):
    """As a crash leaves it: nothing computed was stored."""
    copy = Path(shutil.copy(runs / "good.h5", tmp_path / "copy.h5"))
    with resealed(Path(copy)) as file:
        del file["events"], file["statistics"], file["histogram"], file["windows"]
    page = Page(pages([read(copy)]))
    assert "observed maximum" in page.words
    assert "Course of the run" not in page.words


def test_page_of_a_capture_made_by_hand(runs, tmp_path):
    capture, kept = tmp_path / "capture.sr", tmp_path / "kept.h5"
    assert main(["export", f"{runs / 'good.h5'}", f"{capture}"]) == 0
    words = ["--stimulus", "P8_45", "--response", "P8_46", "--out", f"{kept}"]
    assert main(["analyze", f"{capture}", *words]) == 1
    page = Page(pages([read(kept)]))
    assert "INCONCLUSIVE" in page.words
    assert "not known" in page.words
    assert "What would make the budget whole" in page.words


# --- compare ------------------------------------------------------------------------------------


def test_compare(runs, tmp_path, capsys):
    out = tmp_path / "compared.html"
    files = [f"{runs / 'good.h5'}", f"{runs / 'bad.h5'}"]
    assert main(["compare", *files, "-o", f"{out}", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    first, second = document["runs"]
    assert (first["verdict"], second["verdict"]) == ("pass", "fail")
    difference = {d["figure"]: d for d in document["differences"]}
    assert difference["median"]["value_ns"] == second["median_ns"] - first["median_ns"]
    assert difference["median"]["low_ns"] > 0
    assert document["environment"]["fixture name"] == ["virtual", "virtual-misbehaving"]
    page = Page(out.read_text())
    assert page.outside == []
    assert "Comparison of 2 runs" in page.words
    assert main(["compare", *files]) == 0
    assert "What differs around the runs" in capsys.readouterr().out


def test_a_run_is_like_itself(good, capsys):
    assert main(["compare", *[f"{good.path}"] * 2, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["environment"] == {}
    assert {d["value_ns"] for d in document["differences"]} == {0.0}
    assert [run["name"] for run in document["runs"]] == ["1: good.h5", "2: good.h5"]


def test_one_run_cannot_be_compared(good, capsys):
    assert main(["compare", f"{good.path}"]) == 2
    assert "valid: two or more" in capsys.readouterr().err


# --- numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expanded", "text"),
    [
        (10_333.33, 45.0, "10.333 ± 0.045"),
        (10_333.33, 45.1, "10.333 ± 0.045"),
        (65_056.0, 20_840.0, "65.056 ± 20.840"),
        (4_492.4, 0.0, "4.492"),
        (4_492.4, 99.7, "4.492 ± 0.100"),
        (4_492.4, 1.18, "4.4924 ± 0.0012"),
        (123.4, 0.12, "0.12340 ± 0.00012"),
    ],
)
def test_a_value_has_the_decimals_of_its_uncertainty(value, expanded, text):
    assert rounded(value, expanded) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (12.028, "12.0"), (-1.0, "-1.00"), (10_437.2, "10,400"), (0.04883, "0.0488")],
)
def test_three_digits(value, text):
    assert three_digits(value) == text


@pytest.mark.parametrize(("value", "text"), [(-0.04, "+0.0"), (-0.06, "-0.1"), (25.46, "+25.5")])
def test_zero_has_no_minus(value, text):
    assert signed(value) == text


@pytest.mark.parametrize(
    ("time", "text"),
    [
        ("2026-11-23T05:04:23+00:00", "2026-11-23 05:04 UTC"),
        ("2026-11-23T05:04:23+02:00", "2026-11-23 03:04 UTC"),
        ("2026-11-23T05:04:23", "2026-11-23T05:04:23"),
        ("yesterday", "yesterday"),
    ],
)
def test_the_minute_of_a_time(time, text):
    assert minute_of(time) == text


def test_decimals():
    values = (0.045, 0.12, 3.4, 45.0, 0.0, 0.0994, 0.0996, 9.96)
    assert [decimals_for(u) for u in values] == [3, 2, 1, 0, 3, 3, 2, 0]


@given(st.floats(1e-6, 9.9))
def test_an_uncertainty_has_two_significant_digits(uncertainty: float) -> None:
    text = f"{uncertainty:.{decimals_for(uncertainty)}f}"
    assert len(text.replace(".", "").lstrip("0")) == 2


def test_a_number_and_its_unit_stay_on_one_line(good):
    page = pages([good])
    assert re.findall(r"[0-9] (?:%|µs)", re.sub(r"<svg.*?</svg>", "", page, flags=re.S)) == []
    assert re.findall(r"95\N{NO-BREAK SPACE}%", page)
