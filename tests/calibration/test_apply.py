# SPDX-License-Identifier: GPL-3.0-or-later
"""A run uses its calibration: on a bench whose delays are known, and in what it says of itself."""

from __future__ import annotations

import datetime as dt
import json
import threading
from dataclasses import replace
from functools import partial

import pytest

from rig.analysis.uncertainty.correction import Correction
from rig.analysis.uncertainty.effects import of_latency
from rig.bench.replay import open_replay, replay_fixture
from rig.cli.main import main
from rig.config.plan import parse_plan
from rig.record.reader import RunFile
from rig.report.page import page_of
from rig.report.run_report import run_report
from rig.session.calibration import bench_in_use
from rig.session.results import document, read, store
from rig.session.run import run
from tests.calibration.skewed import MADE, PLAN, SAMPLE_NS, measure, records, text

TOLERANCES = '[uncertainty]\ntime_base_ppb = 150_000\nchannel_skew = "50 ns"\n'
LINE = 'line_delay = "0 ns"\nline_delay_tolerance = "150 ns"\n'


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A run with the calibration beside its fixture, and the true average."""
    folder = tmp_path_factory.mktemp("skewed")
    path, true_ns = measure(folder, TOLERANCES + LINE, text(*records()))
    store(path)
    return path, true_ns


def corrected(path, calibration=None):
    """Result, and what `--json` says of the corrected figures and of the correction."""
    result = read(path, calibration)
    primary = document(result)["measurands"][0]
    left = {"left_ns": primary["residual_error_ns"]}
    return result, {**primary["corrected"], **primary["correction"], **left}


def test_with_calibration_the_systematic_error_is_below_a_quarter_of_a_sample(bench):
    path, true_ns = bench
    result, figures = corrected(path)
    assert result.evaluation.verdict == "pass", result.evaluation.reasons
    assert abs(figures["average_ns"] - true_ns) < SAMPLE_NS / 4
    assert abs(result.evaluation.figures.average_ns - true_ns) > 7 * SAMPLE_NS
    assert figures["unknown"] == []
    budget = result.evaluation.primary.budgets["average"]
    assert budget.corrected == pytest.approx(figures["average_ns"], abs=1e-6)
    assert result.calibration.is_whole


def test_without_it_the_report_says_how_large_the_error_may_be(bench):
    path, true_ns = bench
    result, figures = corrected(path, "")
    error_ns = abs(figures["average_ns"] - true_ns)
    assert error_ns > SAMPLE_NS
    assert error_ns <= figures["left_ns"]
    assert not result.calibration.is_there
    budget = result.evaluation.primary.budgets["average"]
    assert error_ns <= budget.expanded
    shown = page_of([run_report(result)])
    assert "NONE: what the bench itself adds was not measured" in shown
    assert f"up to {figures['left_ns']:.3g} ns" in shown


def test_each_direction_of_the_answer_is_within_what_is_left(bench):
    """Rising answers are 15.75 ns later: it is taken off each, and what is left is little."""
    path, _ = bench
    result, figures = corrected(path)
    budgets = result.evaluation.primary.budgets
    name = "rising against falling answers"
    for figure in ("max", "average"):
        (part,) = [c for c in budgets[figure].contributions if c.name == name]
        assert abs(part.quantity.estimate) <= (107.25 - 91.5) / 2 + 1e-9
        assert part.uncertainty < 2
        assert budgets[figure].corrected == pytest.approx(figures[f"{figure}_ns"], abs=1e-3)
    assert abs(budgets["max"].contributions[-1].quantity.estimate) == pytest.approx(7.875, abs=1e-3)


def test_what_nobody_told_is_never_taken_for_0(bench):
    """A fixture without tolerances and no calibration: no limit can be given, and that is said."""
    path, _ = bench
    with RunFile(path) as file:
        texts, created = file.texts(), file.created
    result = read(path)
    bare = texts | {"fixture": texts["fixture"].replace(TOLERANCES + LINE, "")}
    assert bare != texts
    found, _ = bench_in_use(bare, "", created, result.settings)
    unknown = Correction.of(of_latency(found)).unknown
    assert {"channel skew", "line delay"} <= set(unknown)
    skew_only, used = bench_in_use(bare, text(records()[1]), created, result.settings)
    unknown = Correction.of(of_latency(skew_only)).unknown
    assert "line delay" in unknown
    assert "channel skew" not in unknown
    assert not used.is_whole


EXPIRED = [replace(each, valid_until=MADE.date()) for each in records()]
OTHER_RATE = [replace(each, instruments={"sample_rate_hz": "12000000"}) for each in records()]


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (EXPIRED, "channel skew of 2026-01-02 EXPIRED, not applied (was valid until 2026-01-02)"),
        (
            OTHER_RATE,
            "channel skew of 2026-01-02 NOT MATCHING, not applied "
            "(sample_rate_hz was 12000000, is 24000000)",
        ),
        ([], "channel skew NOT CALIBRATED"),
    ],
)
def test_what_does_not_hold_is_not_applied_and_is_said(bench, found, told):
    path, _ = bench
    result, figures = corrected(path, text(*found))
    _, without = corrected(path, "")
    assert figures == without
    assert told in page_of([run_report(result)])
    assert document(result)["calibration"]["applied"] == []


def test_a_calibrated_pin_write_goes_before_the_log(bench):
    """The log tells only that the edge lies between two time stamps: the middle is a guess."""
    path, _ = bench
    *others, toggle = records()
    early = replace(toggle, quantities=(replace(toggle.quantities[0], value=150.0),))
    offset_ns = corrected(path)[1]["offset_ns"]
    assert corrected(path, text(*others, early))[1]["offset_ns"] == pytest.approx(offset_ns - 50)


def test_each_record_is_judged_by_itself(bench):
    path, _ = bench
    time_base, skew, line, toggle = records()
    mixed = text(replace(time_base, valid_until=MADE.date()), skew, line, toggle)
    result, _ = corrected(path, mixed)
    assert document(result)["calibration"]["applied"] == ["channel-skew", "line-delay", "toggle"]


def test_a_newer_record_holds_and_an_older_is_history(bench):
    path, _ = bench
    wrong = replace(records()[1], date=MADE - dt.timedelta(days=1), quantities=())
    assert corrected(path, text(*records(), wrong))[1] == corrected(path)[1]


def test_a_loopback_stands_for_skew_and_line(bench):
    """Its figures are the sums of theirs: the same correction, by one record."""
    path, _ = bench
    time_base, skew, line, toggle = records()
    quantity = replace(line.quantities[0], name="loopback_delay")
    loop = replace(
        skew,
        step="loopback",
        quantities=(
            replace(quantity, subject="response rising", value=107.25 - 22.3),
            replace(quantity, subject="response falling", value=91.5 - 22.3),
        ),
    )
    result, figures = corrected(path, text(time_base, toggle, loop, skew))
    assert figures["offset_ns"] == pytest.approx(corrected(path)[1]["offset_ns"])
    assert result.calibration.is_whole
    names = [c.name for c in result.evaluation.primary.budgets["average"].contributions]
    assert "calibration of the bench" in names
    assert not {"channel skew", "line delay"} & set(names)


def test_a_missing_edge_is_said_and_its_step_not_applied(bench):
    path, _ = bench
    skew = records()[1]
    half = replace(skew, quantities=skew.quantities[:2])  # no falling answers
    result, figures = corrected(path, text(half))
    assert figures["offset_ns"] == corrected(path, "")[1]["offset_ns"]
    assert "channel_skew is not told of each edge and channel" in page_of([run_report(result)])


def test_another_calibration_computes_anew_and_leaves_the_runs_own(bench, tmp_path, capsys):
    original, _ = bench
    path, other = tmp_path / "run.h5", tmp_path / "other.toml"
    path.write_bytes(original.read_bytes())
    other.write_text(text(*records(u_ns=5.0)))
    own = document(read(path))
    assert command("analyze", path, "--calibration", other) == 0
    with RunFile(path) as file:
        assert (file.calibration, file.text("calibration")) == (
            other.read_text(),
            text(*records()),
        )
    capsys.readouterr()
    assert command("show", path, "--json") == 0
    changed = json.loads(capsys.readouterr().out)
    residual_error_ns = [d["measurands"][0]["residual_error_ns"] for d in (own, changed)]
    assert residual_error_ns[1] > residual_error_ns[0]
    assert command("analyze", path) == 0
    assert "figures stored" in capsys.readouterr().err
    assert document(read(path)) == own


def test_a_calibration_of_another_fixture_is_refused(bench, tmp_path, capsys):
    path, _ = bench
    other = tmp_path / "other.toml"
    other.write_text(text(*records(), fixture="other"))
    assert command("analyze", path, "--calibration", other) == 2
    assert "is a calibration of fixture other, not of skewed" in capsys.readouterr().err


def test_a_replay_has_the_calibration_of_its_run(bench, tmp_path):
    path, _ = bench
    again = tmp_path / "again.h5"
    failure = run(
        parse_plan(PLAN, "plan"),
        replay_fixture(path),
        again,
        lambda _live: None,
        threading.Event(),
        partial(open_replay, path),
    )
    assert failure is None
    assert corrected(again)[1] == corrected(path)[1]


def command(*words):
    """Exit code of `rig`."""
    return main([str(word) for word in words])
