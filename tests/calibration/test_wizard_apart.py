# SPDX-License-Identifier: GPL-3.0-or-later
"""The wizard walks through the steps with wires of their own, and sees that they are put back."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from calibration.findings import Finding
from calibration.record_store import keep_record, with_other_wires
from calibration.wizard import StageReport, Wizard
from calibration.wizard.paths import WizardPaths, place_of
from calibration.wizard.stages import special_wiring, wires_back
from calibration.wizard.stages.save import record_skipped
from calibration.wizard.state import read_state
from rig.config.calibration import CalibratedQuantity, CalibrationRecord
from rig.config.calibration.file import append_record, load_calibration
from rig.config.fixture import load_fixture
from rig.errors import InputError
from tests.cli.command import RIG

NOW = datetime(2026, 1, 2, tzinfo=UTC)
DELAYS = """
[[virtual.delay]]
channel = "D1"
line_rising = "95 ns"
line_falling = "71.5 ns"
skew_rising = "12.25 ns"
[[virtual.delay]]
channel = "D3"
skew_falling = "31 ns"
"""
SOUND = ("stimulus", "response", "sequence0", "sequence1", "sequence2")


@pytest.fixture
def wizard(tmp_path):
    """Where the steps with wires of their own begin."""
    made = Wizard.begun(WizardPaths(tmp_path / "state.json"), "lab-7")
    made.give("bench", "virtual")
    made.forward()
    made.go_to("channel-skew")
    return made


def answer(wizard, **answers):
    """Questions may come up with the answers before them."""
    for key, text in answers.items():
        name = key.replace("_", "-")
        (question,) = [q for q in wizard.stage.questions(wizard.state) if q.key == name]
        wizard.answer(question, text)


def wants_work(wizard):
    return wizard.stage.wants_work(wizard.state)


@pytest.mark.parametrize(("skew", "loop"), list(product(("measure", "skip"), repeat=2)))
def test_each_can_be_skipped_and_nothing_is_put_back_that_was_not_changed(wizard, skew, loop):
    answer(wizard, channel_skew=skew)
    assert wants_work(wizard) == bool(wizard.stage.lines(wizard.state)) == (skew == "measure")
    wizard.forward()
    answer(wizard, loopback=loop)
    assert wants_work(wizard) == bool(wizard.stage.svg(wizard.state)) == (loop == "measure")
    wizard.forward()
    assert not wants_work(wizard)
    assert wizard.stage.lines(wizard.state) == ()
    wizard.forward()
    assert wizard.stage.name == "wires-back"
    assert wants_work(wizard) == ("measure" in (skew, loop))
    assert ("No wires were changed" in str(wizard.stage.explain(wizard.state))) != wants_work(
        wizard
    )


def test_left_and_taken_up_again_it_goes_on_there_and_back(wizard):
    answer(wizard, channel_skew="skip")
    wizard.forward()
    again = Wizard.begun(wizard.place, "lab-7")
    assert (again.stage.name, again.state) == ("loopback", wizard.state)
    again.back()
    assert again.stage.name == "channel-skew"
    assert not wants_work(again)


def test_wires_that_are_changed_once_more_are_put_back_once_more(wizard):
    wizard.record(StageReport(findings=(Finding("skewed", "late", "", fault=False),)))
    wizard.go_to("wires-back")
    wizard.record(StageReport())
    assert {"channel-skew", "wires-back"} <= set(wizard.state.done)
    wizard.go_to("loopback")
    wizard.record(StageReport(findings=(Finding("open", "D1 is open", "clip it"),)))
    assert wizard.state.done["loopback"] == ("D1 is open",)
    assert "wires-back" not in wizard.state.done
    # Skipped after it was tried: the clips may be anywhere.
    answer(wizard, loopback="skip")
    assert wires_back.STAGE.wants_work(wizard.state)


def test_a_far_channel_brings_up_whose_wire_it_is(wizard):
    wizard.go_to("line-delay")
    assert [q.key for q in wizard.stage.questions(wizard.state)] == ["far-channel"]
    answer(wizard, far_channel="D6", line="stimulus")
    assert "D6" in " ".join(wizard.stage.lines(wizard.state))
    assert wants_work(wizard)
    wizard.check()
    for channel, told in (("D1", "far-channel: D1 is no free channel"), ("x", "no channel")):
        answer(wizard, far_channel=channel)
        with pytest.raises(InputError, match=told):
            wizard.check()


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ({"steps": "wiring loopback"}, "loopback wants wires of its own"),
        ({"pps": "D2"}, "pps: D2 is no free channel"),
        ({"pps": "7"}, "pps '7': no channel"),
        ({"frequency-counter": "16 MHz"}, "^frequency-counter '16 MHz': not read"),
        ({"pps": "D7", "frequency-counter": "16000000 Hz +- 1 Hz"}, "one reference is enough"),
    ],
)
def test_references_are_asked_for_and_checked(wizard, answers, told):
    wizard.go_to("calibrate")
    defaults = {q.key: q.default for q in wizard.stage.questions(wizard.state)}
    assert defaults["pps"] == defaults["frequency-counter"] == "none"
    wizard.check()
    for key, text in answers.items():
        wizard.give(key, text)
    with pytest.raises(InputError, match=told):
        wizard.check()


# --- what the calibration says -----------------------------------------------------------------


def delay(signal: str, ns: float, instruments: str = "ssh:a", day: int = 0) -> CalibrationRecord:
    quantities = tuple(
        CalibratedQuantity("line_delay", ns, "ns", 0.5, 9, f"{signal} {edge}")
        for edge in ("rising", "falling")
    )
    date = NOW + timedelta(days=day)
    return CalibrationRecord(
        "line-delay", date, quantities, instruments={"target_link": instruments}
    )


def test_the_delay_of_one_wire_does_not_hide_that_of_the_other(tmp_path):
    path = tmp_path / "x.calibration.toml"
    for day, (signal, ns) in enumerate(
        (("response", 95.0), ("stimulus", 15.0), ("response", 90.0))
    ):
        keep_record(path, "x", delay(signal, ns, day=day))
    newest = load_calibration(path).newest("line-delay")
    values = {each.subject: each.value for each in newest.quantities}
    assert values == {
        "response rising": 90.0, "response falling": 90.0,
        "stimulus rising": 15.0, "stimulus falling": 15.0,
    }  # fmt: skip
    assert newest.conditions["stimulus measured"] == "2026-01-03, kept"


def test_of_another_bench_or_another_step_nothing_is_taken_over():
    here = delay("response", 95.0)
    assert with_other_wires(here, delay("stimulus", 15.0, "ssh:b")) == here
    nothing = CalibrationRecord("line-delay", NOW, instruments={"target_link": "ssh:a"})
    assert with_other_wires(nothing, delay("stimulus", 15.0)) == nothing
    skew = CalibrationRecord(
        "channel-skew", NOW, (CalibratedQuantity("channel_skew", 1.0, "ns", 0.1, 9, "D1 rising"),)
    )
    assert with_other_wires(skew, skew) == skew


def test_what_was_left_out_is_recorded_once_and_until_it_is_measured(tmp_path):
    path = tmp_path / "x.calibration.toml"
    for _ in range(2):
        record_skipped(path, "x")
    (first,) = load_calibration(path).records
    assert [text.split(" (")[1] for text in first.findings] == [
        "channel-skew): not measured, left out",
        "loopback): not measured, left out",
        "line-delay): not measured, left out",
    ]
    for name in ("channel-skew", "loopback"):
        append_record(
            path, "x", CalibrationRecord(name, NOW, (CalibratedQuantity("x", 1.0, "ns", 0.1, 9),))
        )
    append_record(path, "x", delay("response", 95.0))
    record_skipped(path, "x")
    last = load_calibration(path).newest("left-out")
    assert last.findings == ("Line delay (line-delay): not measured of stimulus",)
    keep_record(path, "x", delay("stimulus", 15.0))
    record_skipped(path, "x")
    assert load_calibration(path).newest("left-out").findings == ()
    assert special_wiring.skipped(load_calibration(path)) == ()


# --- on the virtual bench ----------------------------------------------------------------------


def typed(name, text, monkeypatch, tmp_path, more="", stage="channel-skew", off_ppb="0"):
    """A wizard at this stage on a bench with these tables; what it prints of what is typed."""
    clocks = load_fixture("virtual").text.replace("analyzer_error_ppb = 0",
                                                  f"analyzer_error_ppb = {off_ppb}")  # fmt: skip
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    bench = tmp_path / "bench.toml"
    bench.write_text(clocks + more)
    wizard = Wizard.begun(place_of(name), name)
    wizard.give("bench", str(bench))
    wizard.forward()
    for signal in SOUND:
        wizard.wire_is_sound(signal)
    wizard.go_to(stage)
    done = subprocess.run(
        [*RIG, "calibrate", "--new", name], input=text, env=dict(os.environ), capture_output=True,
        text=True, cwd=tmp_path, timeout=110, check=False,
    )  # fmt: skip
    return done.stdout, place_of(name)


@pytest.mark.slow  # the window's walk through the same stages is not
def test_wire_check_measure_and_back_on_a_skewed_bench(monkeypatch, tmp_path):
    said, place = typed("lab", "\nD6\n\n\n\n\n\nq\n", monkeypatch, tmp_path, DELAYS)
    assert "Left at: First measurement" in said, said
    assert said.count("The wires are as drawn.") == 3
    assert "D9  --+----" in said
    assert "Every wire is back where it was." in said
    found = load_calibration(place.calibration)
    assert found.steps == ("channel-skew", "loopback", "line-delay")
    truths = {
        ("channel-skew", "channel_skew", "D1 rising"): 12.25,
        ("channel-skew", "channel_skew", "D3 falling"): 31.0,
        ("loopback", "loopback_delay", "response rising"): 107.25,
        ("loopback", "loopback_delay", "response falling"): 71.5,
        ("line-delay", "line_delay", "response rising"): 95.0,
        ("line-delay", "line_delay", "response falling"): 71.5,
    }
    for (step, name, subject), truth_ns in truths.items():
        value = found.newest(step).quantity(name, subject)
        assert abs(value.value - truth_ns) <= 3 * value.standard_uncertainty + 0.002, subject
    assert found.newest("line-delay").conditions["their skew"] == "taken off"
    state = read_state(place.state)
    assert not any(state.done.values())
    assert set(state.done) == {"channel-skew", "loopback", "line-delay", "wires-back"}


@pytest.mark.slow
def test_a_clip_that_is_wrong_is_named_and_nothing_is_measured(monkeypatch, tmp_path):
    more = '\n[virtual.wiring]\nopen = "D3"\n'
    said, place = typed("lab", "\n\na\ng\nskip\n\n\ng\nq\n", monkeypatch, tmp_path, more)
    assert said.count("nothing was measured") == 2, said
    assert "D3 (sequence1) does not show the pulses of D9" in said
    assert "Clip D3 to D9 too" in said
    assert "FAULT  sequence1: no pulse arrives on D3" in said  # as the wires are put back
    assert "Left at: First measurement" in said
    assert not place.calibration.exists()
    state = read_state(place.state)
    assert state.done["channel-skew"][0].startswith("D3 (sequence1) does not show")
    assert state.done["wires-back"]


@pytest.mark.slow
def test_a_jumper_that_is_forgotten_is_seen_when_the_wires_should_be_back(monkeypatch, tmp_path):
    more = "\n[virtual.jumpers]\nloopback = true\n"
    said, place = typed("lab", "\n\nq\n", monkeypatch, tmp_path, more, "loopback")
    assert "The wires are as drawn. Loopback" in said, said
    assert "Put the wires back" in said
    said, place = typed("lab", "\ng\nq\n", monkeypatch, tmp_path, more, "wires-back")
    assert "FAULT" in said.split("Put the wires back")[1], said
    assert read_state(place.state).done["wires-back"]


def test_a_pulse_a_second_tells_the_analyzers_own_error(monkeypatch, tmp_path):
    answers = "time-base\n5\nD7\n\nq\n"
    said, place = typed("lab", answers, monkeypatch, tmp_path, stage="calibrate", off_ppb="20_000")
    record = load_calibration(place.calibration).newest("time-base")
    assert record.conditions["reference"] == "pulse a second", said
    found = record.quantity("time_base")
    assert abs(found.value - 20.0) <= 2 * found.standard_uncertainty
