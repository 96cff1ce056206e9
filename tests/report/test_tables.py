# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of real runs: each cell against a computation of its own from the run files."""

from __future__ import annotations

import csv
import io
import re
import statistics
from pathlib import Path

import numpy as np
import pytest

from rig.campaign.index import entries_of
from rig.campaign.matrix import CampaignRun
from rig.cli.main import main
from rig.config.fixture import load_fixture
from rig.config.plan import parse_plan
from rig.document import TextTable
from rig.measurements.measurement import short_time
from rig.record.reader import RunFile
from rig.report.tables.record import RunRecord
from rig.report.tables.reference import REFERENCES, beside, published
from rig.report.tables.render import FORMATS
from rig.report.tables.runs import records_of
from rig.report.tables.shapes import SHAPES, by_table
from tests.golden.runs import RUNS, unpacked
from tests.record.older import plain
from tests.resealing import resealed
from tests.stored_events import events_of

CAMPAIGN = """
[campaign]
name = "two"
[[measure]]
plan = "interrupt"
count = 60
scenarios = ["idle", "cpu"]
[[measure]]
plan = "period"
count = 50
[measure.set]
agent.period = "500 us"
[[measure]]
plan = "preemption"
count = 20
[[measure]]
plan = "task-switch"
count = 20
[[measure]]
plan = "timer"
label = "start"
count = 40
[measure.set]
agent.period = "500 us"
agent.variant = "periodic"
[[measure]]
plan = "start-finish"
count = 40
[[measure]]
plan = "clock-resolution"
count = 20
[[measure]]
plan = "telepathy"
measurement = "telepathy"
"""
SAMPLE_US = 1 / 24
PERIODS = ("100us", "300us", "500us", "1ms", "10ms", "100ms", "1s")
VARIANTS = {
    "interrupt": ("self",),
    "interrupt_dispatch": ("hard",),
    "task_preemption": ("handler", "eventfd"),
    "task_switch": ("2 tasks", "16 tasks", "128 tasks", "512 tasks", "mutex means of 1000"),
    "task_creation": ("fork",),
    "preemption": ("cs1 timer wait 1us", "wait timer", "cs2 timer"),
    "timer": ("absolute", "relative"),
    "smi by hwlat": ("pause 10us gaps above 50us",),
}
"""Variants of ours beside which figures were published."""
REFERENCE = Path("rig/virtual/reference")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A campaign's folder: one run of interrupts, one of periods, two that could not be made."""
    place = tmp_path_factory.mktemp("tables")
    (place / "two.toml").write_text(CAMPAIGN)
    words = [str(place / "two.toml"), "--fixture", "virtual", "-o", str(place / "bench"), "--quiet"]
    assert main(["run", *words]) == 0
    return place / "bench"


MADE = {}
"""Tables that were asked for before."""


def table(capsys, *words):
    """Title of each table to its rows."""
    if words not in MADE:
        MADE[words] = _table(capsys, *words)
    return MADE[words]


def _table(capsys, *words):
    assert main(["table", *map(str, words), "--format", "csv"]) == 0
    found = {}
    for row in csv.reader(io.StringIO(capsys.readouterr().out)):
        if row[0] == "table":
            head = row[1:]
        else:
            found.setdefault(row[0], []).append(dict(zip(head, row[1:], strict=True)))
    return found


def responses_us(path):
    """Edges of the answering pin, from the raw edges of a run: D1, in microseconds."""
    return events_of(path)["response_sample"] * SAMPLE_US


def figures_of(values):
    """Of a dissertation's table, from values in microseconds."""
    return {
        "n": len(values),
        "Average": statistics.fmean(values),
        "Min": min(values),
        "Max": max(values),
        "Gap": max(values) - min(values),
        "Deviation": statistics.pstdev(values),
    }


def agrees(row, expected):
    for name, value in expected.items():
        assert float(row[name]) == pytest.approx(value, abs=0.00051), name


def test_cells_of_a_run_of_interrupts(folder, capsys):
    found = table(capsys, folder)["interrupt, in microseconds"]
    stimuli = events_of(folder / "interrupt-idle.h5")["stimulus_sample"]
    values = responses_us(folder / "interrupt-idle.h5") - stimuli * SAMPLE_US
    idle, cpu = found
    assert (idle["system"], idle["scenario"], idle["remark"]) == ("virtual", "idle", "")
    agrees(idle, figures_of(values.tolist()))
    assert cpu["scenario"] == "cpu"
    assert {cpu[name] for name in ("n", "Average", "Min", "Max", "Gap", "Deviation")} == {""}
    assert cpu["remark"].startswith("skipped: no load cpu")


def test_cells_of_a_run_of_periods_are_its_intervals(folder, capsys):
    by_pins, by_ticks = table(capsys, folder)["period 500us, in microseconds"]
    values = np.diff(responses_us(folder / "period-idle.h5"))
    agrees(by_pins, figures_of(values.tolist()))
    assert (by_pins["by"], by_ticks["by"]) == ("pins", "ticks")
    with RunFile(folder / "period-idle.h5") as file:
        ticks = file.log(0, file.log_count)["before_ticks"].astype(np.int64)
    agrees(by_ticks, figures_of((np.diff(ticks) / 1e3).tolist()))


def test_latencies_of_periods_against_the_line_below_them(folder, capsys):
    """The grid touches the earliest answers: found here by trying all pairs of them."""
    row, _ = latencies(folder, capsys, "earliest")
    values = jitter_us(responses_us(folder / "period-idle.h5"))
    assert (row["load"], row["period"], row["n"], row["overruns"]) == ("idle", "500us", "50", "0")
    assert float(row["mean"]) == pytest.approx(values.mean(), abs=SAMPLE_US)
    assert float(row["max"]) == pytest.approx(values.max(), abs=SAMPLE_US)
    assert float(row["deviation"]) == pytest.approx(values.std(), abs=SAMPLE_US)


def latencies(folder, capsys, begin, *words):
    """Rows of the slides' table whose latencies begin there."""
    found = table(capsys, folder, "--shape", "slides", *words)
    rows = found["Latency of periodic tasks, in microseconds"]
    return [row for row in rows if row["from"] == begin]


def test_latencies_from_the_due_time_stand_beside_the_published_ones(folder, capsys):
    """As the slides measured: by the target's own clock, none taken off."""
    ours, *theirs = latencies(folder, capsys, "due", "--reference", "slides")
    values = _values_us(folder / "start-idle.h5", 0)
    assert (ours["system"], ours["period"], ours["n"]) == ("virtual", "500us", "40")
    assert float(ours["mean"]) == pytest.approx(statistics.fmean(values), abs=0.00051)
    assert float(ours["max"]) == pytest.approx(max(values), abs=0.00051)
    assert min(values) > 1, "what all have in common is in them"
    assert {row["period"] for row in theirs} == {"500us"}
    assert len({(row["system"], row["load"]) for row in theirs}) == len(theirs) > 3
    own = latencies(folder, capsys, "earliest", "--reference", "slides")
    assert {row["system"] for row in own} == {"virtual"}, "nobody published those"


def test_the_thesis_has_nanoseconds(folder, capsys):
    found = table(capsys, folder, "--shape", "thesis")
    row = found["interrupt, in nanoseconds"][0]
    by_scenario = table(capsys, folder)["interrupt, in microseconds"][0]
    for ours, theirs in (
        ("Min", "Min"),
        ("Avg", "Average"),
        ("Max", "Max"),
        ("StDev", "Deviation"),
    ):
        assert float(row[ours]) == pytest.approx(1000 * float(by_scenario[theirs]), abs=0.51)


def _values_us(path, part):
    """Of one part of what the target measured by itself: from its log, 1 GHz and no clock."""
    with RunFile(path) as file:
        log = file.log(0, file.log_count)
    flags = log["flags"].astype(np.int64)
    wanted = (flags & 0x100 != 0) & (flags >> 16 == part)
    return ((log["after_ticks"] - log["before_ticks"])[wanted] / 1e3).tolist()


@pytest.mark.parametrize(("part", "name"), [(0, "cs1"), (1, "wait"), (2, "cs2")])
def test_cells_of_the_parts_of_a_preemption(folder, capsys, part, name):
    (row,) = table(capsys, folder)[f"preemption {name} semaphore, in microseconds"]
    values = _values_us(folder / "preemption-idle.h5", part)
    assert len(values) == 20
    agrees(row, figures_of(values))


@pytest.fixture(scope="module")
def edges_us(folder):
    """Of the answering pin, D1, in the run of start and finish: starts and finishes."""
    from rig.record.reader import RunFile

    with RunFile(folder / "start-finish-idle.h5") as file:
        index = np.concatenate([b.index[b.channel == 1] for b in file.edge_blocks()])
    return index[0::2] * SAMPLE_US, index[1::2] * SAMPLE_US


def jitter_us(times):
    """Past the line that touches them from below, found by trying all pairs."""
    number = np.arange(len(times))
    late = []
    for first in number:
        for second in number[first + 1 :]:
            slope = (times[second] - times[first]) / (second - first)
            above = times - times[first] - slope * (number - first)
            if above.min() > -1e-6:
                late.append(above)
    return min(late, key=np.sum)


def test_start_and_finish_have_a_row_each_by_ticks_and_by_pins(folder, edges_us, capsys):
    found = table(capsys, folder, "--shape", "golem")["start-finish, in microseconds"]
    rows = {(row["of"].removesuffix(" 1ms work 100us"), row["by"]): row for row in found}
    quantities = ("start", "finish", "work", "interval error")
    assert list(rows) == [(each, by) for each in quantities for by in ("ticks", "pins")]
    for kind, times in zip(("start", "finish"), edges_us, strict=True):
        row, values = rows[kind, "pins"], jitter_us(times)
        quartiles = statistics.quantiles(values.tolist(), n=4, method="inclusive")
        for name, value in (
            ("Mean", values.mean()), ("Median", statistics.median(values.tolist())),
            ("Max", values.max()), ("Deviation", values.std()),
            ("IQR", quartiles[2] - quartiles[0]),
        ):  # fmt: skip
            assert float(row[name]) == pytest.approx(value, abs=SAMPLE_US), name
            ticks = float(rows[kind, "ticks"][name])
            assert float(row[name]) == pytest.approx(ticks, abs=4 * SAMPLE_US), name
        assert row["witness"] == "agrees"


def test_each_row_says_whether_its_witness_agrees(folder, tmp_path, capsys):
    found = table(capsys, folder, "--reference", "radder")
    said = {(title, r["system"], r["scenario"]): r["witness"] for title, rows in found.items()
            for r in rows if "witness" in r}  # fmt: skip
    at = "interrupt, in microseconds"
    assert said[at, "virtual", "idle"] == "agrees"
    assert said[at, "virtual", "cpu"] == "", "it was not made"
    assert said["task-switch 2 tasks, in microseconds", "RT-Preempt [radder]", "idle"] == ""
    (clocks,) = (rows for title, rows in found.items() if title.startswith("clock-resolution"))
    assert {row["witness"] for row in clocks if row["system"] == "virtual"} == {"none"}
    wrong = tmp_path / "wrong.h5"
    wrong.write_bytes((folder / "interrupt-idle.h5").read_bytes())
    with resealed(Path(wrong)) as file:
        stored = plain(file, "target/log")
        log = stored[:]
        for key in ("before_ticks", "after_ticks"):
            log[key][7] += np.uint64(10_000)
        stored[:] = log
        del file["events"], file["statistics"], file["histogram"]
    (row,) = table(capsys, wrong)[at]
    assert row["witness"] == "disagrees"
    assert row["remark"].startswith("inconsistent: bracket test")


def test_a_comparison_marks_what_no_pin_has_seen(folder, capsys):
    assert main(["table", str(folder), "--shape", "comparison"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (clock,) = (line for line in lines if line.startswith("clock-resolution"))
    assert clock.endswith(")+")
    (interrupt,) = (line for line in lines if re.match("interrupt +idle", line))
    assert interrupt.endswith(")")
    assert "A plus: no pin was seen, the figure is the target's own." in lines


def test_cells_of_task_switches(folder, capsys):
    found = table(capsys, folder, "--reference", "radder")
    rows = found["task-switch 2 tasks, in microseconds"]
    agrees(rows[0], figures_of(_values_us(folder / "task-switch-idle.h5", 0)))
    assert rows[1]["Average"] == "0.617"


def test_what_this_version_cannot_measure_has_its_row(folder, capsys):
    (row,) = table(capsys, folder)["telepathy, in microseconds"]
    assert row["remark"].startswith("skipped: not available")


def test_comparison_of_any_set_of_systems(folder, capsys):
    single = folder / "interrupt-idle.h5"
    found = table(capsys, folder, single)
    (idle, cpu, *_) = found["Comparison: deviation (average), in microseconds"]
    by_scenario = found["interrupt, in microseconds"][0]
    expected = f"{by_scenario['Deviation']} ({by_scenario['Average']})"
    assert idle["virtual (bench)"] == idle["virtual (interrupt-idle)"] == expected
    assert (cpu["virtual (bench)"], cpu["virtual (interrupt-idle)"]) == ("*", "")


@pytest.mark.parametrize("source", REFERENCES)
def test_published_figures_are_those_of_the_source(source):
    """Every number of the packaged file, found again in the records."""
    name = {"radder": "radder2015_benchmarks", "slides": "periodic_latency_slides",
            "thesis": "kernel_thesis"}[source]  # fmt: skip
    with (REFERENCE / f"{name}.csv").open() as file:
        rows = list(csv.DictReader(file))
    records = published(source)
    assert len(records) == len(rows)
    fields = {name: name for name in ("average", "min", "max", "gap", "deviation")}
    fields |= {"mean": "average", "avg": "average", "stddev": "deviation"}
    checked = 0
    for row, record in zip(rows, records, strict=True):
        assert record.published
        for key, text in row.items():
            quantity, _, unit = key.rpartition("_")
            if quantity in fields:
                value = record.figures[f"{fields[quantity]}_ns"]
                scale = {"us": 1e3, "ns": 1.0}[unit]
                assert value == (pytest.approx(float(text) * scale) if text else None)
                checked += 1
    assert checked >= 3 * len(rows)


def test_published_figures_stand_beside_ours(folder, capsys):
    found = table(capsys, folder, "--reference", "radder")
    periods = {(r["system"], r["scenario"]): r for r in found["period 500us, in microseconds"]}
    published_row = periods["RT-Preempt [radder]", "idle"]
    assert published_row["Deviation"] == "0.969"
    assert (published_row["by"], published_row["how"]) == ("ticks", "processes, Xeon W3530")
    comparison = found["Comparison: deviation (average), in microseconds"]
    of_period = {r["by"]: r for r in comparison if r["measurement"] == "period 500us"}
    assert of_period["target"]["RT-Preempt [radder]"] != "", "TSC figures beside ticks"
    assert of_period["pins"]["RT-Preempt [radder]"] == ""
    assert not any("dispatch" in title for title in found), "only what we have measured"
    from_outside = found["interrupt, in microseconds"]
    assert {r["system"] for r in from_outside} == {"virtual"}, "published ones trigger themselves"


@pytest.mark.parametrize(
    ("subject", "variant", "source", "beside_it"),
    [
        ("interrupt", "self", "radder", "HLRT"),
        ("interrupt_dispatch", "hard", "radder", "QNX"),
        ("task_creation", "fork", "radder", "HRTL"),
        ("task_creation", "thread", "radder", ""),
        ("task_preemption", "eventfd", "radder", "QNX"),
        ("task_preemption", "handler processes", "radder", "QNX"),
        ("task_preemption", "signal", "radder", ""),
        ("task_preemption", "pipe", "radder", ""),
        ("smi by hwlat", "pause 10us gaps above 50us", "thesis", "custom-rt"),
        ("smi", "pause 10us gaps above 50us", "thesis", ""),
        ("timer", "relative", "thesis", "generic"),
        ("task_switch", "mutex means of 1000", "thesis", "lowlatency"),
        ("task_switch", "mutex", "thesis", ""),
        ("preemption", "cs1 timer pause 200us wait 50us", "thesis", "generic"),
        ("preemption", "cs1 semaphore", "thesis", ""),
        ("period_start", "500us", "slides", "2.6.27Xenomai"),
    ],
)
def test_published_figures_stand_beside_the_same_quantity_alone(
    subject, variant, source, beside_it
):
    ours, *theirs = beside([RunRecord("s", subject, variant, "idle")], source)
    systems = {record.system for record in theirs}
    assert (f"{beside_it} [{source}]" in systems) if beside_it else not systems
    assert {record.table for record in theirs} <= {ours.table}
    assert all(record.how for record in theirs)


@pytest.mark.parametrize("source", REFERENCES)
def test_every_published_row_has_one_of_ours_beside_which_it_stands(source):
    variants = {**VARIANTS, "period": PERIODS, "period_start": PERIODS}
    for record in published(source):
        asked = variants.get(record.subject_name, ("",))
        own = [RunRecord("s", record.subject_name, each, "idle") for each in asked]
        found = [each.system for each in beside(own, source) if each.published]
        assert record.system in found, record


def test_what_a_source_does_not_have_is_said_in_its_row():
    for source in REFERENCES:
        for record in published(source):
            if None in record.figures.values():
                assert "legible" in record.remark or source != "radder"
    (odd,) = (r for r in published("radder") if "a digit too many" in r.remark)
    assert odd.figures["min_ns"] == pytest.approx(99_986_510)


def test_published_figures_that_contradict_each_other_are_marked():
    """One row: a single one of 10^6 values, 28 ms from the others, makes a deviation of 28 us."""
    odd = [r for source in REFERENCES for r in published(source) if "so small" in r.remark]
    assert [(r.system, r.variant, r.scenario) for r in odd] == [
        ("2.6.26preemptive [slides]", "300us", "half")
    ]
    assert odd[0].figures["deviation_ns"] == pytest.approx(4776)


def test_slides_have_overruns(folder, capsys):
    found = table(capsys, folder, "--reference", "slides")
    rows = found["Latency of periodic tasks, in microseconds"]
    (lenny,) = [r for r in rows if r["system"] == "2.6.26lenny [slides]" and r["load"] == "idle"]
    assert (lenny["period"], lenny["mean"], lenny["max"], lenny["overruns"]) == (
        "500us", "1.775", "79.605", "0",
    )  # fmt: skip


NASTY = TextTable(
    ("na|me", "n", "remark"),
    (("=1+1", "-", "50% \\ of {x}"), ("<b>", "-1.5", "~^#$")),
    range(1, 2),
    title='a|b & c_d <e> "f"', notes=("a_b*",),
)  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_every_cell(folder, capsys, form):
    assert main(["table", str(folder), "--format", form]) == 0
    text = capsys.readouterr().out
    for row in table(capsys, folder)["interrupt, in microseconds"][:1]:
        for name in ("Average", "Min", "Max", "Gap", "Deviation"):
            assert row[name] in text


def test_text_from_outside_stays_text():
    page, latex = FORMATS["html"]([NASTY]), FORMATS["latex"]([NASTY])
    assert "<b>" not in page.replace("<b>=", "")
    assert "&lt;b&gt;" in page
    assert r"50\% \textbackslash{} of \{x\}" in latex
    assert r"\textasciitilde{}\textasciicircum{}\#\$" in latex
    lines = FORMATS["markdown"]([NASTY]).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {4}
    (_, *cells), (_, *numbers) = list(csv.reader(io.StringIO(FORMATS["csv"]([NASTY]))))[1:]
    assert cells == ["'=1+1", "", "50% \\ of {x}"]
    assert numbers[1] == "-1.5"


@pytest.mark.parametrize(
    ("form", "times"), [("terminal", 1), ("html", 1), ("markdown", 1), ("latex", 2)]
)
def test_a_note_of_several_tables_stands_below_the_last(form, times):
    first, second = (
        TextTable(("a",), (("1",),), title=name, notes=("mind this",)) for name in "AB"
    )
    text = FORMATS[form]([first, second])
    assert text.count("mind this") == times
    assert text.rindex("mind this") > text.index("B")


def test_every_subject_is_one_table():
    records = [
        RunRecord("s", "interrupt", "", "idle", {"average_ns": 1.0, "deviation_ns": 0.0}, 1),
        RunRecord("s", "period", "1ms", "idle"),
        RunRecord("t", "interrupt", "", "idle", {"average_ns": 2.0, "deviation_ns": 0.0}, 1),
    ]
    assert [len(own) for own in by_table(records).values()] == [2, 1]
    assert [len(grid.rows) for grid in SHAPES["scenarios"](records)] == [2, 1]
    assert SHAPES["slides"](records) == []
    both = [RunRecord("s", name, "1ms", "idle") for name in ("period_latency", "period_start")]
    found = beside(both, "slides")[2:]
    assert {r.table for r in found} == {("period_start", "1ms")}
    assert len(set(map(repr, found))) == len(found), "each once"
    assert [short_time(ns) for ns in (500_000, 10**9, 10**7, 1_500)] == [
        "500us", "1s", "10ms", "1500ns",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (["none.h5"], r"none\.h5: no such file"),
        (["."], r"\.: holds 0 run files"),
        (["BENCH", "-o", "no/x.html"], r"there is no folder no"),
        (["BENCH/interrupt-idle.h5", "--shape", "slides"], r"nothing in these runs has the shape"),
    ],
)
def test_bad_input_is_one_line(folder, tmp_path, monkeypatch, capsys, words, pattern):
    monkeypatch.chdir(tmp_path)
    assert main(["table", *(word.replace("BENCH", str(folder)) for word in words)]) == 2
    error = capsys.readouterr().err
    assert re.search(pattern, error)
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    "name",
    [
        "period",
        "interrupt-self",
        "interrupt-dispatch",
        "timer",
        "preemption",
        "start-finish",
        "task-switch",
        "saturation",
        "periodic-tasks",
        "smi",
    ],
)
def test_a_run_that_is_not_made_has_the_rows_that_it_would_have(name, tmp_path):
    path = unpacked(name, tmp_path)
    with RunFile(path) as file:
        plan, fixture = parse_plan(file.text("plan"), name), file.text("fixture")
    plan = plan.with_overrides(None, None, RUNS[name].period, None)
    (tmp_path / "bench.toml").write_text(fixture)
    cell = CampaignRun(name, plan.measurement, plan.scenario, plan)
    (entry,) = entries_of([cell], load_fixture(str(tmp_path / "bench.toml")))
    made = {
        (r.subject_name, r.variant, r.by)
        for r in records_of([path])
        if " by " not in r.subject_name  # tools
    }
    assert {(r.subject, r.variant, r.by) for r in entry.rows} == made


def test_run_files_without_stored_figures_are_evaluated(folder, tmp_path):
    copy = tmp_path / "copy.h5"
    copy.write_bytes((folder / "interrupt-idle.h5").read_bytes())
    with resealed(Path(copy)) as file:
        del file["events"], file["statistics"], file["histogram"]
    assert records_of([copy]) == records_of([folder / "interrupt-idle.h5"])
