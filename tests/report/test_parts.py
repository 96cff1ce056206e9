# SPDX-License-Identifier: GPL-3.0-or-later
"""Each part of a measurement has its values over time, as histogram and as share above x."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from rig.document import Note
from rig.record.reader import RunFile
from rig.report.compare import ALIKE, compare, comparison, document
from rig.report.page import page
from rig.report.run_facts import disturbances, run_facts
from rig.report.run_report import run_report
from rig.report.terminal import print_report
from rig.session.results import read, store
from rig.session.stored_results import is_whole, stored_result
from tests.golden.runs import unpacked

A_PART_BYTES = 120_000


@pytest.mark.parametrize("name", ["preemption", "start-finish", "smi", "period", "interrupt-self"])
def test_every_part_is_drawn(name, tmp_path):
    result = read(unpacked(name, tmp_path))
    text = page(result)
    primary, *others = (each for each in result.evaluation.measurands if each.statistics.n)
    titles = re.findall(r"<title>(.*?)</title>", text)
    inside = not any("over the run, outliers marked" in title for title in titles)
    drawn = others if not inside else [primary, *others]
    assert sum(bool(re.match("Every .* over the run$", each)) for each in titles) == len(drawn)
    for each in (primary, *others):
        n, worst_us = each.histogram.n, each.statistics.max_ns / 1e3
        assert f"Histogram of {n:,} values, observed maximum {worst_us:.3f} µs" in titles
    assert sum("values above each" in each for each in titles) == 1 + len(others)
    assert len(text) < (2 + len(others)) * A_PART_BYTES + 250_000
    ids = re.findall(r' id="(.*?)"', text)
    assert len(ids) == len(set(ids))


def on_kernel(result, options):
    target = {"agent": "x", "environment": {"system": "Linux", "kernel_options": options}}
    texts = {**result.texts, "environment/target": json.dumps(target)}
    return replace(result, texts=texts)


def environment_page(tmp_path, options):
    return page(on_kernel(read(unpacked("timer", tmp_path)), options))


def test_options_that_differ_are_in_a_comparison(tmp_path):
    run = read(unpacked("timer", tmp_path))
    kernels = {"HZ": "250", "SMP": "y"}, {"HZ": "1000", "SMP": "y"}, {}
    one, other, unknown = (on_kernel(run, options) for options in kernels)
    rows = [row for row in compare([one, other]).around if "kernel_options" in row[0]]
    assert rows == [("target kernel_options HZ", "250", "1000")]
    assert not [row for row in compare([one, unknown]).around if "kernel_options" in row[0]]


def test_a_comparison_says_first_what_differs_around_the_runs(tmp_path):
    run, runs = read(unpacked("timer", tmp_path)), []
    for version, temperature in (("F2", "41000"), ("F3", "62000")):
        inside = {
            "version": "#1 SMP",
            "bios_version": version,
            "thermal_zones": [{"name": "cpu", "temperature_mdegc": temperature}],
            "kernel_options": {"HZ": temperature},
        }
        text = json.dumps({"version": "0.1.0", "environment": inside})
        account = replace(run.account, smis=len(runs), thermal_throttles=7)
        texts = {**run.texts, "environment/target": text}
        runs.append(replace(run, texts=texts, account=account))
    found = compare(runs)
    bios = ("target bios_version", "F2", "F3")
    smis = [f"{count} interrupts of the target's firmware during the run" for count in (0, 1)]
    assert found.around == (("SMIs", *smis), bios, ("target kernel_options HZ", "41000", "62000"))
    assert found.readings == (
        ("target thermal_zones cpu", "temperature_mdegc 41000", "temperature_mdegc 62000"),
    )
    sections = comparison(found, runs).sections
    assert [sections[0].name, sections[-1].name] == ["around", "readings"]
    assert next(iter(document(found, runs))) == "environment"
    plans = [dict(run.texts, plan=f'[limits]\nmax_latency = "{limit} us"') for limit in (30, 31)]
    others = [replace(run, texts=texts) for texts in plans]
    assert compare(others).around == (("plan limits max_latency", "30 us", "31 us"),)
    alike = comparison(compare([run, run]), [run, run])
    assert alike.sections[0].blocks == (Note(ALIKE),)


def test_what_held_a_processor_up_is_told_if_it_was_counted(tmp_path):
    run = read(unpacked("timer", tmp_path))
    assert disturbances(run) == []
    counted = replace(run, account=replace(run.account, smis=0, thermal_throttles=3))
    assert set(disturbances(counted)) < set(run_facts(counted))


def test_the_kernel_configuration_is_told_in_a_line_and_folded_whole(tmp_path):
    options = {"PREEMPT_RT": "y", "HZ": "250", "KASAN": "y", "SCHED_MC": "y"}
    text = environment_page(tmp_path, options)
    assert "PREEMPT_RT, HZ=250; for debugging: KASAN" in text
    (folded,) = re.findall(r"<details>.*?</details>", text, re.DOTALL)
    assert "Kernel configuration: 4 options" in folded
    rows = re.findall(r"<tr><th>(.*?)</th><td>(.*?)</td>", folded)
    assert dict(rows) == options


@pytest.mark.parametrize("options", ["text", [], {"HZ": {"a": "b"}, "<b>": "<script>"}, {}])
def test_what_an_agent_tells_of_its_kernel_may_be_anything(options, tmp_path):
    assert "<script>" not in environment_page(tmp_path, options)


def test_a_terminal_shows_no_title_with_nothing_below(tmp_path):
    stream = StringIO()
    print_report(
        Console(file=stream, width=100), run_report(read(unpacked("preemption", tmp_path)))
    )
    titles = [lines.split("\n")[0] for lines in stream.getvalue().split("\n\n")]
    below = [lines.count("\n") for lines in stream.getvalue().strip().split("\n\n")]
    assert min(below) > 0, titles
    assert "Everything else that was measured" not in stream.getvalue()


def test_stored_values_draw_what_computed_ones_draw(tmp_path):
    run = unpacked("preemption", tmp_path)
    computed = store(run)
    with RunFile(run) as file:
        stored = stored_result(file)
        assert is_whole(file, stored)
    drawn, again = (
        [
            svg
            for svg in re.findall("<svg.*?</svg>", page(each), re.DOTALL)
            if "edges inside" not in svg
        ]
        for each in (computed, stored)
    )
    assert len(drawn) == 3 * len(computed.evaluation.measurands)
    assert again == drawn
