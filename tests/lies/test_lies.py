# SPDX-License-Identifier: GPL-3.0-or-later
"""A few lies of each liar are caught, and the page's tables are those of what was found.

All lies in all measurements take an hour: `python -m tests.lies`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rig.measurements.registry import MEASUREMENTS as KNOWN
from rig.measurements.registry import SELF_MEASUREMENTS
from tests.lies import loads
from tests.lies.__main__ import FOUND
from tests.lies.catalog import AGENT, ALL, ANALYZER, FIRMWARE, LOAD_LIES, LOADS
from tests.lies.lie import Told
from tests.lies.runs import MEASUREMENTS, LyingBench, Outcome, lying_bench
from tests.lies.search import RATIO, smallest
from tests.lies.table import BEGIN, END, PAGE, SHORT, TOPICS, tables

INTERRUPT = {
    ("agent", "one_late"): 200,
    ("agent", "dropped"): 1,
    ("agent", "handled_count"): 1,
    ("agent", "coalesced_false"): 1,
    ("agent", "pin_late"): 200,
    ("agent", "entry_early"): 2_000,
    ("analyzer", "held"): 2,
    ("analyzer", "dropped"): 24,
    ("analyzer", "rate"): 1_000,
    ("analyzer", "response_jumps"): 24,
}
INSIDE = {
    ("agent", "one_early"): 200,
    ("agent", "values_longer"): 100_000,
    ("agent", "pin_not_written"): 1,
    ("analyzer", "repeated"): 24,
}
"""Sizes well above the smallest that are caught."""


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, LyingBench]]:
    with (
        lying_bench("interrupt", tmp_path_factory.mktemp("lies")) as outside,
        lying_bench("task_switch", tmp_path_factory.mktemp("lies")) as inside,
    ):
        yield {"interrupt": outside, "task_switch": inside}


@pytest.mark.parametrize("measurement", ["interrupt", "task_switch"])
def test_a_bench_that_does_not_lie_is_believed(benches, measurement: str) -> None:
    honest = benches[measurement].run(Told())
    assert (honest.verdict, honest.reason) == ("pass", "")
    assert honest.of_u is not None
    assert honest.of_u <= 1


@pytest.mark.parametrize(
    ("measurement", "lie", "size"),
    [
        *(("interrupt", lie, size) for lie, size in INTERRUPT.items()),
        *(("task_switch", lie, size) for lie, size in INSIDE.items()),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else str(value),
)
def test_a_lie_is_caught(benches, measurement: str, lie: tuple[str, str], size: int) -> None:
    found = benches[measurement].run(Told(*lie, size))
    assert found.verdict in ("inconsistent", "incomplete"), found


KERNEL = {
    "interrupt_dispatch": [("agent", "tasks_late", 3_000), ("agent", "exits_early", 3_000)],
    "self_triggered": [("agent", "triggers_late", 200), ("agent", "trigger_count", 1)],
    "saturation": [("agent", "one_late", 200), ("agent", "dropped", 1)],
}
"""What only the test's own model of a kernel's handler can measure, and some of its lies."""


@pytest.mark.parametrize("measurement", KERNEL)
def test_a_kernels_handler_is_believed_and_its_lies_are_caught(measurement, tmp_path) -> None:
    with lying_bench(measurement, tmp_path) as bench:
        honest = bench.run(Told())
        assert (honest.verdict, honest.reason) == ("pass", "")
        assert honest.of_u is not None
        assert honest.of_u <= 1
        for lie in KERNEL[measurement]:
            assert bench.run(Told(*lie)).verdict == "inconsistent", lie


@pytest.mark.parametrize("measurement", ["interrupt", "start_finish"])
def test_an_analyzer_of_which_nothing_is_stated_is_in_the_uncertainty(
    measurement, tmp_path
) -> None:
    told = Told("analyzer", "rate_unstated", 100)
    with lying_bench(measurement, tmp_path, told) as bench:
        found = bench.run(told)
    assert found.verdict == "pass"
    assert found.of_u is not None
    assert found.of_u <= 1


def test_firmware_that_sends_more_than_asked_for_is_caught(tmp_path: Path) -> None:
    told = Told("firmware", "more_pulses", 1)
    with lying_bench("interrupt", tmp_path, told) as bench:
        found = bench.run(told)
    assert found.verdict == "inconsistent"
    assert "firmware sent 201, the plan asks for 200" in found.reason


# --- loads ---------------------------------------------------------------------------------------


def test_a_load_that_runs_is_believed() -> None:
    assert loads.run("half", Told()).verdict == "pass"


def test_a_load_whose_processes_sleep_is_caught() -> None:
    found = loads.run("half", Told("agent", "load_asleep", 1))
    assert found.verdict == "refused"
    assert "used no processor time in 1 s" in found.reason


# --- the search and the table --------------------------------------------------------------------


@pytest.mark.parametrize("guess", [None, 1, 30, 77, 900, 1000])
@pytest.mark.parametrize("threshold", [1, 2, 77, 1000, 2000])
def test_the_smallest_size_caught_is_found(threshold: int, guess: int | None) -> None:
    def told(size: int) -> Outcome:
        return Outcome("inconsistent" if size >= threshold else "pass", "", 1.0, 0.5)

    found = smallest(told, 1, 1000, guess)
    if threshold > 1000:
        assert (found.caught, found.uncaught) == (None, 1000)
        return
    assert found.caught is not None
    assert threshold <= found.caught
    if found.uncaught is None:
        assert found.caught == threshold == 1
    else:
        assert found.uncaught < threshold
        assert found.caught <= max(found.uncaught + 1, found.uncaught * RATIO + 1)


def test_the_page_has_what_was_found() -> None:
    rows = json.loads(FOUND.read_text())
    page = PAGE.read_text(encoding="utf-8")
    assert page.partition(BEGIN)[2].partition(END)[0] == tables(rows)


def test_no_lie_is_uncaught_without_a_reason() -> None:
    rows = json.loads(FOUND.read_text())
    for lie in (*AGENT, *LOAD_LIES, *ANALYZER, *FIRMWARE):
        for measurement, found in rows.get(f"{lie.liar} {lie.name}", {}).items():
            assert lie.reason or found["uncaught"] is None, (lie.name, measurement)


def test_no_measurement_is_left_out() -> None:
    own_tests_lie = {name for name, each in SELF_MEASUREMENTS.items() if each.own_form}
    own_tests_lie |= {"interrupt_with_tasks", "interrupt_to_task_with_tasks"}
    assert set(KNOWN) - own_tests_lie <= set(MEASUREMENTS)
    rows = json.loads(FOUND.read_text())
    told = {measurement for found in rows.values() for measurement in found}
    assert told == {*MEASUREMENTS, *LOADS}


def test_each_lie_of_the_agent_has_one_place_and_each_measurement_a_name() -> None:
    named = [name for names in TOPICS.values() for name in names]
    assert sorted(named) == sorted(lie.name for lie in AGENT)
    assert set(SHORT) == set(ALL) == set(MEASUREMENTS)
