# SPDX-License-Identifier: GPL-3.0-or-later
"""On the virtual bench: the rate that is found is the model's, and every lost interrupt is told."""

from __future__ import annotations

import json
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from rig.analysis.measurements.verdict import Verdict
from rig.bench.replay import open_replay
from rig.config.check import check
from rig.config.fixture import Fixture, parse_fixture
from rig.config.plan import Plan, parse_plan
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.recording.live import LiveSummary
from rig.report.page import page
from rig.resources import find_fixture, find_plan
from rig.session.results import Result, document, read, store
from rig.session.run import run
from rig.virtual.truth import MERGED, MISSED, load_truth
from tests.truth.bench import MODELS

COUNT = 250
FASTEST_S = 10


def bench(
    folder: Path, service: str, model: str = "normal", seed: int = 1, misbehave: str = ""
) -> Fixture:
    """A modelled target that takes so long for each interrupt."""
    head, _, _ = find_fixture("virtual").read_text(encoding="utf-8").partition("[virtual")
    return parse_fixture(
        f"""{head}
[virtual]
truth_file = "{folder / "truth.bin"}"
[virtual.target]
model = "{model}"
{MODELS[model]}
service_time = "{service}"
seed = {seed}
toggle_time = "50 ns"
clock = "2.8 GHz"
clock_error_ppb = -12_000
[virtual.misbehave]
{misbehave}
[virtual.clocks]
stimulus_error_ppb = 38_000
""",
        "bench",
    )


def search_plan(count: int = COUNT) -> Plan:
    text = find_plan("saturation").read_text(encoding="utf-8")
    return parse_plan(text.replace("count = 1000", f"count = {count}"), "plan")


def searched(folder: Path, fixture: Fixture, plan: Plan) -> tuple[Result, np.ndarray]:
    check(plan, fixture)
    failure = run(plan, fixture, folder / "run.h5", lambda _: None, threading.Event())
    assert failure is None, failure
    return store(folder / "run.h5"), load_truth(folder / "truth.bin")[0]


def compare(result: Result, truth: np.ndarray, service_us: float) -> None:
    """The limit within 2 %, and what was lost in each hold."""
    evaluation = result.evaluation
    figures = evaluation.details
    assert evaluation.verdict is Verdict.PASS, evaluation.reasons
    assert figures.rate_hz == pytest.approx(1e6 / service_us, rel=0.02)
    assert figures.limit_hz == pytest.approx(1e6 / service_us, rel=0.02)
    assert figures.failed_ns < service_us * 1e3 <= figures.sustained_ns * (1 + 2 / COUNT)
    first, averages_ns = 0, []
    for hold in figures.holds:
        mine = truth[first : first + hold.sent]
        first += hold.sent
        averages_ns.append(np.diff(np.unique(mine["response_ps"])).mean() / 1e3)
        assert hold.answer_interval_ns == pytest.approx(averages_ns[-1], abs=1)
        assert hold.merged == np.count_nonzero(mine["kind"] == MERGED)
        assert hold.missed == np.count_nonzero(mine["kind"] == MISSED)
        steps_ps = np.diff(mine["stimulus_ps"])
        assert hold.spacing_ns == pytest.approx(steps_ps.mean() / 1e3, abs=1)
    assert first == len(truth) == evaluation.counts.n
    off_ns = figures.answer_interval_ns - min(averages_ns)
    assert abs(off_ns) <= figures.answer_interval_expanded_ns


@pytest.mark.parametrize(("service_us", "model"), [(47.3, "normal"), (410.0, "gamma")])
def test_the_rate_found_is_the_models(service_us, model, tmp_path) -> None:
    fixture = bench(tmp_path, f"{service_us} us", model)
    result, truth = searched(tmp_path, fixture, search_plan())
    compare(result, truth, service_us)
    assert len(document(result)["details"]["holds"]) == len(result.evaluation.details.holds)
    text = page(result)
    assert "Saturation: highest rate kept up with" in text
    assert "answered by an answer of its own" in text


@pytest.mark.truth
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("model", "service_us"),
    [
        (model, service_us)
        for model in ("constant", "normal", "gamma", "reference")
        for service_us in (23.7, 61.0, 133.3, 290.0, 870.0)
        if model != "reference" or service_us >= 50
    ],
)
def test_the_rate_found_is_the_models_for_all(service_us, model, seed, tmp_path) -> None:
    """A latency above the service time would prolong it: `reference` takes up to 37 us."""
    fixture = bench(tmp_path, f"{service_us} us", model, seed)
    compare(*searched(tmp_path, fixture, search_plan()), service_us)


def test_a_target_that_misses_at_any_rate_keeps_up_with_none(tmp_path) -> None:
    fixture = bench(tmp_path, "30 us", misbehave="miss = 0.05")
    result, truth = searched(tmp_path, fixture, search_plan(100))
    evaluation = result.evaluation
    assert evaluation.verdict is Verdict.INCONCLUSIVE
    (hold,) = evaluation.details.holds
    assert hold.missed == np.count_nonzero(truth["kind"] == MISSED) > 0
    assert evaluation.details.rate_hz is None


def test_a_search_that_is_interrupted_keeps_its_holds(tmp_path) -> None:
    stop = threading.Event()
    seen: list[str] = []

    def watch(live: LiveSummary) -> None:
        if live.hold not in (*seen[-1:], ""):
            seen.append(live.hold)
        if len(seen) == 4:
            stop.set()

    fixture = bench(tmp_path, "300 us")
    assert run(search_plan(), fixture, tmp_path / "run.h5", watch, stop) is None
    assert seen[:2] == ["hold 1 at 1,000/s", "hold 2 at 1,429/s"]
    result = store(tmp_path / "run.h5")
    holds = result.evaluation.details.holds
    assert [hold.is_complete for hold in holds[:3]] == [True] * 3
    assert [hold.sent for hold in holds] == [n for n in result.account.holds if n]
    assert result.evaluation.verdict is Verdict.INCONCLUSIVE
    assert result.account.sent == sum(hold.sent for hold in holds) == result.evaluation.counts.n
    with pytest.raises(InputError, match="cannot be replayed"):
        _replayed(tmp_path / "run.h5", fixture)


def _replayed(file: Path, fixture: Fixture) -> None:
    plan, again = search_plan(), file.with_name("again.h5")
    run(plan, fixture, again, lambda _: None, threading.Event(), partial(open_replay, file))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_seconds_of_the_highest_rate(tmp_path) -> None:
    """The real firmware at 50,000 pulses/s: target and rig survive, and each loss is counted."""
    text = find_plan("interrupt-periodic").read_text(encoding="utf-8")
    text = text.replace('"1.001 ms"', '"20 us"')
    assert '"20 us"' in text
    text = text.partition("[limits]")[0] + '[limits]\nmerged = "any"\nlate = "any"\n'
    plan = parse_plan(text, "plan").with_overrides(count=FASTEST_S * 50_000)
    result, truth = searched(tmp_path, bench(tmp_path, "33 us"), plan)
    evaluation, counts = result.evaluation, result.evaluation.counts
    # A stimulus now and then comes just when the interrupt before it is taken: both readings fit.
    assert evaluation.verdict is Verdict.INCONCLUSIVE, evaluation.reasons
    merged = np.count_nonzero(truth["kind"] == MERGED)
    assert counts.n == len(truth) == FASTEST_S * 50_000
    assert counts.missed == 0
    assert counts.merged <= merged <= counts.merged + counts.ambiguous
    assert merged == pytest.approx(counts.n * (1 - 20 / 33), rel=0.001)
    with RunFile(result.path) as file:
        report = file.report
        assert file.log_count == counts.n - merged == report["handled"]
        assert (report["sent"], report["stimulus_late"], report["log_dropped"]) == (counts.n, 0, 0)
        samples = np.concatenate(
            [
                file.events(at, at + 65536)["response_sample"]
                for at in range(0, file.event_count, 65536)
            ]
        )
    # Which of two a late answer belongs to is open; when each answer came is not.
    seen_ps = np.unique(samples) * 1e12 / result.settings.sample_rate_hz
    true_ps = np.unique(truth["response_ps"])
    off_ps = np.diff(seen_ps - seen_ps[0]) - np.diff(true_ps - true_ps[0])
    assert np.abs(off_ps).max() <= 1e12 / result.settings.sample_rate_hz
    assert json.loads(json.dumps(document(read(result.path))))["verdict"] == "inconclusive"
