# SPDX-License-Identifier: GPL-3.0-or-later
"""A few lies of each liar are caught, and the page's tables are those of what was found.

All lies in all measurements take an hour: `python -m tests.lies`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rig.config.plan import MEASUREMENTS as KNOWN
from tests.lies.__main__ import FOUND
from tests.lies.catalog import AGENT, ANALYZER, FIRMWARE
from tests.lies.lie import Told
from tests.lies.runs import MEASUREMENTS, LyingBench, Outcome, lying_bench
from tests.lies.search import RATIO, smallest
from tests.lies.table import BEGIN, END, PAGE, tables

INTERRUPT = {
    ("agent", "one_late"): 200,
    ("agent", "dropped"): 1,
    ("agent", "handled_count"): 1,
    ("agent", "coalesced_false"): 1,
    ("agent", "pin_late"): 200,
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


def test_firmware_that_sends_more_than_asked_for_is_caught(tmp_path: Path) -> None:
    told = Told("firmware", "more_pulses", 1)
    with lying_bench("interrupt", tmp_path, told) as bench:
        found = bench.run(told)
    assert found.verdict == "inconsistent"
    assert "firmware sent 201, the plan asks for 200" in found.reason


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
    for lie in (*AGENT, *ANALYZER, *FIRMWARE):
        for measurement, found in rows.get(f"{lie.liar} {lie.name}", {}).items():
            assert lie.reason or found["uncaught"] is None, (lie.name, measurement)


def test_no_measurement_is_left_out() -> None:
    page = PAGE.read_text(encoding="utf-8")
    left = set(KNOWN) - set(MEASUREMENTS)
    assert left == {"interrupt_dispatch", "saturation"}
    assert all(f"`{name}`" in page for name in left)
