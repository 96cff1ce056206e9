# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans under several loads: each pair a run of its own, and what cannot be loaded is skipped."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gui.engine.outcome import Failure
from gui.pages.run.choice import choose
from gui.pages.run.page import RunPage
from gui.pages.run.scenario_row import SCENARIOS, ScenarioRow
from gui.pages.run.series_card import PATH
from gui.pages.run.series_status import status_of
from gui.plots.number_texts import duration
from rig.campaign.index import RunState
from rig.record.reader import RunFile
from rig.report.labels import title_of
from rig.resources import find_fixture
from rig.services.series import RunSeries
from rig.session.results import read
from tests.gui.bench import ENDS_MS, run_files

BOOTS_MS = 300_000
NO_LOAD = "no load cpu: a modelled target has no processors to load"


@pytest.fixture
def page(qtbot, settings, tmp_path):
    made = RunPage(tmp_path / "runs", settings)
    qtbot.addWidget(made)
    made.resize(1180, 640)
    made.load()
    made.show()
    yield made
    made.engine.close()


def tick(page, plans, scenarios, events):
    if not page.chooser.several.isChecked():
        page.menu["several"].trigger()
    page.chooser.series.tick(plans)
    page.chooser.series.scenarios.tick(scenarios)
    page.chooser.count.setValue(events)


def pairs(choices) -> list[tuple[str, str]]:
    return [(choice.plan_name, choice.scenario) for choice in choices]


def test_each_with_each_and_how_long_it_takes(page):
    page.use_bench("qemu-debian")
    tick(page, ["interrupt-to-task", "interrupt-periodic"], ["cpu", "idle"], 50)
    chooser = page.chooser
    assert pairs(chooser.choices) == [
        ("interrupt-periodic", "idle"), ("interrupt-periodic", "cpu"),
        ("interrupt-to-task", "idle"), ("interrupt-to-task", "cpu"),
    ]  # fmt: skip
    assert [c.plan.scenario for c in chooser.choices] == ["idle", "cpu"] * 2
    assert not any(c.skip or c.error for c in chooser.choices)
    whole = duration(sum(c.whole_s for c in chooser.choices))
    assert chooser.duration.text() == (f"4 runs: 2 plans, 2 scenarios\n200 events in about {whole}")


def test_none_ticked_leaves_each_plan_its_own(page, tmp_path):
    text = choose("interrupt", "virtual").plan.text
    assert "scenario" in text
    own = tmp_path / "own.toml"
    own.write_text(text.replace('scenario = "idle"', 'scenario = "kettle"'))
    page.choose_plan(own)
    tick(page, [str(own)], [], 10)
    (choice,) = page.chooser.choices
    assert (choice.plan.scenario, choice.skip, choice.label) == ("kettle", "", "own.toml")
    assert page.chooser.series.scenarios.note == "none ticked: as each plan has it"
    tick(page, [str(own)], ["idle"], 10)
    (choice,) = page.chooser.choices
    assert (choice.plan.scenario, choice.label) == ("idle", "own.toml, idle")


def test_what_a_modelled_target_cannot_do_is_skipped(qtbot, page, settings):
    tick(page, ["interrupt"], ["cpu"], 40)
    assert page.chooser.choice.error == NO_LOAD
    assert not page.chooser.run.isEnabled()
    tick(page, ["interrupt"], ["idle", "cpu"], 40)
    assert page.chooser.duration.text().startswith("1 runs: 1 plans, 2 scenarios, 1 skipped\n40 ")
    assert page.chooser.series.scenarios.note == f"skipped: {NO_LOAD}"
    page.toggle()
    assert page.chooser.series.text("interrupt").endswith("idle running")
    assert not page.chooser.series.scenarios.boxes["io"].isEnabled()
    qtbot.waitUntil(lambda: page.series.is_over, timeout=ENDS_MS)
    assert [part.state for part in page.series.parts] == [RunState.DONE, RunState.SKIPPED]
    (path,) = run_files(page.folder)
    assert title_of(read(path).settings).endswith("scenario idle")
    assert page.banner.text.startswith("1 OF 1 PASSED"), page.banner.text
    assert f"interrupt, cpu: skipped, {NO_LOAD}" in page.banner.text
    (item,) = [i for i in page.chooser.series._items() if i.data(PATH)]
    assert item.text().endswith("idle pass")
    assert item.data(PATH) == path
    assert f"cpu: skipped, {NO_LOAD}" in item.toolTip()
    assert page.chooser.series.scenarios.boxes["io"].isEnabled()
    assert settings.value("run/scenarios") == ["idle", "cpu"]


def test_a_target_that_says_no_when_asked_does_not_end_the_series(page, monkeypatch):
    """A real engine tells that in the test below; here, what the page makes of it."""
    tick(page, ["interrupt"], ["idle"], 10)
    page.series = RunSeries([(choose("interrupt", "virtual", 10), "")] * 2, ends_on_failure=True)
    page.series.start_next()
    begun = []
    monkeypatch.setattr(page.engine, "start", begun.append)
    page._failed(Failure("the agent cannot start load io; it has cpu", refused=True))
    first, second = page.series.parts
    assert (first.state, first.reason) == (
        RunState.REFUSED,
        "the agent cannot start load io; it has cpu",
    )
    assert (second.state, len(begun)) == (RunState.RUNNING, 1)


def test_the_engine_refuses_a_load_before_it_measures(qtbot, page):
    """Not known beforehand, as of a target that must be asked."""
    tick(page, ["interrupt"], ["idle", "cpu"], 20)
    page.chooser._choices = tuple(replace(c, skip="") for c in page.chooser.choices)
    page.chooser.again = lambda: None
    page.toggle()
    qtbot.waitUntil(lambda: page.series.is_over, timeout=ENDS_MS)
    assert [(p.state, p.reason) for p in page.series.parts] == [
        (RunState.DONE, ""),
        (RunState.REFUSED, NO_LOAD),
    ]
    assert len(run_files(page.folder)) == 1


@pytest.mark.parametrize(
    ("states", "words", "shown"),
    [
        ([(RunState.PLANNED, ""), (RunState.PLANNED, "")], "waiting", None),
        ([(RunState.DONE, "pass"), (RunState.RUNNING, "")], "io running", 0),
        ([(RunState.DONE, "pass"), (RunState.DONE, "pass")], "2 of 2 pass", 1),
        ([(RunState.DONE, "fail"), (RunState.DONE, "pass")], "1 of 2 pass", 0),
        ([(RunState.DONE, "pass"), (RunState.SKIPPED, "")], "cpu pass", 0),
        ([(RunState.SKIPPED, ""), (RunState.SKIPPED, "")], "skipped", None),
        ([(RunState.LEFT_OUT, ""), (RunState.LEFT_OUT, "")], "not measured", None),
        ([(RunState.DONE, "pass"), (RunState.REFUSED, "")], "1 of 2 pass", 0),
    ],
)
def test_a_plan_under_two_loads_in_a_few_words(states, words, shown):
    choices = [choose("interrupt", "qemu-debian", None, load) for load in ("cpu", "io")]
    parts = RunSeries((each, each.skip) for each in choices).parts
    files = [Path("cpu.h5"), Path("io.h5")]
    for part, (state, verdict), file in zip(parts, states, files, strict=True):
        part.state, part.verdict, part.path = (
            state,
            verdict,
            file if state == RunState.DONE else None,
        )
    told = status_of(parts)
    assert told.words == words
    assert told.path == (None if shown is None else files[shown])
    assert [line.partition(":")[0] for line in told.tip.splitlines()] == ["cpu", "io"]


@pytest.mark.guest
@pytest.mark.timeout(600)
@pytest.mark.slow
def test_a_real_kernel_idle_and_under_load(qtbot, page):
    page.use_bench("qemu-debian")
    tick(page, ["interrupt-to-task"], ["idle", "cpu"], 20)
    page.toggle()
    qtbot.waitUntil(lambda: page.series.is_over, timeout=BOOTS_MS)
    assert [part.state for part in page.series.parts] == [RunState.DONE, RunState.DONE], (
        page.banner.text
    )
    for part, workers in zip(page.series.parts, (None, 4), strict=True):
        load = part.item.scenario
        assert title_of(read(part.path).settings).endswith(f"scenario {load}")
        with RunFile(part.path) as file:
            told = json.loads(file.text("environment/target")).get("scenario")
        assert (told or {}).get("workers") == workers


OWN = """
[scenarios.compile]
command = ["make", "-j4", "forever"]

[scenarios.flood]
command = ["iperf3", "--client", "192.168.7.1"]
"""


def test_commands_of_the_bench_are_offered(page, settings, tmp_path):
    """With the bench that has them; ticks wait for its return."""
    hardware = tmp_path / "hardware.toml"
    hardware.write_text(find_fixture("parallel-port-fx2").read_text() + OWN)
    row = page.chooser.series.scenarios
    tick(page, ["interrupt"], ["idle"], 40)
    assert list(row.boxes) == list(SCENARIOS)
    assert row._own.isHidden()
    page.choose_fixture(hardware)
    assert list(row.boxes) == [*SCENARIOS, "compile", "flood"]
    assert not row._own.isHidden()
    assert row.boxes["compile"].toolTip() == "make -j4 forever"
    row.boxes["flood"].click()
    assert pairs(page.chooser.choices) == [("interrupt", "idle"), ("interrupt", "flood")]
    assert not any(c.skip or c.error for c in page.chooser.choices)
    page.use_bench("virtual")
    assert list(row.boxes) == list(SCENARIOS)
    assert row._own.isHidden()
    assert pairs(page.chooser.choices) == [("interrupt", "idle")]
    row.boxes["idle"].click()
    again = ScenarioRow(settings)  # as at the next start
    again.offer(page.chooser.choice.fixture.scenarios)
    assert again.ticked == []
    page.choose_fixture(hardware)
    assert row.ticked == ["flood"]


def test_a_command_on_a_target_that_cannot_have_it(page, tmp_path):
    """In the words of the command line."""
    bench = tmp_path / "bench.toml"
    bench.write_text(find_fixture("virtual").read_text() + OWN)
    page.choose_fixture(bench)
    tick(page, ["interrupt"], ["compile"], 40)
    words = "no load compile: a modelled target has no processors to load"
    assert page.chooser.choice.error == words
    assert page.chooser.series.scenarios.note == f"skipped: {words}"
    guest = tmp_path / "guest.toml"
    guest.write_text(find_fixture("qemu-debian").read_text() + OWN)
    page.choose_fixture(guest)
    assert page.chooser.choice.error == "", "its agent runs commands: nobody else reaches it"
