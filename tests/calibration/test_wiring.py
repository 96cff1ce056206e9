# SPDX-License-Identifier: GPL-3.0-or-later
"""The wiring check on the virtual bench: libsigrok, the firmware and the agent's line, all real."""

from __future__ import annotations

import threading
from functools import partial
from itertools import combinations

import pytest

from calibration.context import StepContext, StoppedError
from calibration.findings import StepOutcome
from calibration.runner import chosen, run_steps
from calibration.steps.wiring import check_wires
from rig.bench.open import open_bench
from rig.config.calibration.file import load_calibration
from rig.config.fixture import load_fixture, parse_fixture
from rig.errors import InputError
from tests.calibration.wired import wired_fixture
from tests.cli.command import rig

ONE_OF_EACH = {
    'swap = "D0 D1"': ["swapped"],
    'short = "D1 D3"': ["shorted"],
    'invert = "D0"\nstuck_high = "D2"\nno_falling = "D3"': ["inverted", "stuck high", "one way"],
    'open = "D1"\nno_rising = "D0"\ncapture_open = true': ["one way", "open", "capture open"],
    'interrupt_open = true\nanalyzer_rate = "50 kHz"': ["interrupt open", "wrong rate"],
}
OPENER = partial(open_bench, every_channel=True)
CHANNELS = range(5)
EVERY = {
    **{f'swap = "D{a} D{b}"': ["swapped"] for a, b in combinations(CHANNELS, 2)},
    **{f'swap = "D{a} D7"': ["moved"] for a in CHANNELS},
    **{f'short = "D{a} D{b}"': ["shorted"] for a, b in combinations(CHANNELS, 2)},
    **{f'open = "D{a}"': ["open"] for a in CHANNELS},
    **{f'stuck_low = "D{a}"': ["open"] for a in CHANNELS},
    **{f'stuck_high = "D{a}"': ["stuck high"] for a in CHANNELS},
    **{f'invert = "D{a}"': ["inverted"] for a in CHANNELS},
    **{f'no_rising = "D{a}"': ["one way"] for a in CHANNELS},
    **{f'no_falling = "D{a}"': ["one way"] for a in CHANNELS},
    **{
        f'analyzer_rate = "{rate}"': ["wrong rate"]
        for rate in ("50 kHz", "1 MHz", "12 MHz", "23 MHz", "25 MHz", "48 MHz", "100 MHz")
    },
    "interrupt_open = true": ["interrupt open"],
    "capture_open = true": ["capture open"],
}


def check(faults: str) -> StepOutcome:
    (outcome,) = run_steps(wired_fixture(faults), chosen(["wiring"]), OPENER)
    return outcome


@pytest.mark.parametrize(("faults", "kinds"), list(ONE_OF_EACH.items()), ids=list(ONE_OF_EACH))
def test_faults_are_found_and_named(faults, kinds):
    outcome = check(faults)
    assert [finding.kind for finding in outcome.findings] == kinds
    assert not outcome.passed
    assert outcome.record.findings == tuple(finding.text for finding in outcome.findings)


@pytest.mark.truth
@pytest.mark.parametrize(("faults", "kinds"), list(EVERY.items()), ids=list(EVERY))
def test_every_fault_is_found_and_named(faults, kinds):
    assert [finding.kind for finding in check(faults).findings] == kinds


@pytest.mark.truth
@pytest.mark.parametrize("number", range(200))
def test_no_false_alarm_on_healthy_benches(number):
    text = load_fixture("virtual").text.replace("24 MHz", f"{1 + number % 24} MHz")
    error_ppb = 5_000_000 * (number % 3 - 1)
    text = text.replace("stimulus_error_ppb = 38_000", f"stimulus_error_ppb = {error_ppb}")
    assert "38_000" not in text
    (outcome,) = run_steps(parse_fixture(text, "healthy"), chosen(["wiring"]), OPENER)
    assert outcome.findings == ()


def test_the_command_shows_keeps_and_rewrites(tmp_path):
    bench = tmp_path / "bench.toml"
    bench.write_text(wired_fixture('swap = "D1 D2"').text)
    words = ("calibrate", "wiring", "--fixture", bench, "--quiet")
    first = rig(*words, "--install", "--write-fixture", tmp_path / "found.toml")
    assert first.returncode == 1, first.stderr
    assert "FAULT  response and sequence0 are swapped" in first.stdout
    record = load_calibration(tmp_path / "bench.calibration.toml").newest("wiring")
    assert record is not None
    assert len(record.findings) == 1
    assert load_fixture(str(tmp_path / "found.toml")).channel_of("response") == 2
    again = rig(*words, "--write-fixture", tmp_path / "found.toml")
    assert again.returncode == 2
    assert "not overwritten" in again.stderr


def test_wires_are_checked_one_by_one_while_others_hang_free():
    """Nothing is connected yet but the response; then the stimulus at the wrong channel."""
    fixture = wired_fixture('open = "D2 D3 D4"\nswap = "D0 D6"')
    with OPENER(fixture) as bench:
        context = StepContext(fixture, bench)
        assert check_wires(context, str, ["response"]).findings == ()
        kinds = [each.kind for each in check_wires(context, str, ["stimulus"]).findings]
        assert kinds == ["moved"]
        kinds = [each.kind for each in check_wires(context, str, ["sequence1"]).findings]
        assert kinds == ["open"]


def test_a_stop_ends_it_before_its_end_and_the_bench_closes():
    stop = threading.Event()
    seen: list[str] = []

    def on_progress(text: str) -> None:
        seen.append(text)
        if text.startswith("sequence0"):
            stop.set()

    with pytest.raises(StoppedError):
        list(run_steps(wired_fixture(), chosen([]), OPENER, on_progress=on_progress, stop=stop))
    assert not any(text.startswith("sequence1") for text in seen)


def test_an_unknown_step_is_refused():
    with pytest.raises(InputError, match="did you mean wiring"):
        chosen(["wirring"])
