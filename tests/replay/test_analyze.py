# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig analyze` of captures made by hand, judged by sigrok's own decoder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rig.analysis.measurements.verdict import Verdict
from rig.capture.sr_file import write_sr
from rig.errors import InputError
from rig.session.imported import CaptureSignals, analyze_capture, import_capture
from rig.session.results import read, stored_text
from tests.replay.captures import (
    LATENCIES,
    NAMES,
    PERIOD,
    RATE_HZ,
    block,
    pulses,
    rig,
    sigrok_cli,
    sr_of,
    toggles,
    vcd_of,
)
from tests.stored_events import events_of

STORED = ("file", "state", "samples", "planned", "calibration", "digests")
SIGNALS = ("--stimulus", "stimulus", "--response", "D1")
PULSES = CaptureSignals("stimulus", "response", answer_level=1)


def figures_of(path: Path, *words: object) -> dict[str, object]:
    """What `rig analyze --json` says of the measurement, but where it is stored."""
    ended = rig("analyze", path, *SIGNALS, *words, "--json")
    assert ended.returncode == 1, ended.stderr  # inconclusive
    document = json.loads(ended.stdout)
    assert (document["verdict"], document["witnesses"]) == ("inconclusive", [])
    return {key: value for key, value in document.items() if key not in STORED}


def latencies_in(path: Path) -> list[int]:
    events = events_of(path)
    start, answer = events["stimulus_sample"], events["response_sample"]
    assert answer.min() >= 0
    return [int(n) for n in answer - start]


def test_sigrok_finds_the_same_latencies(tmp_path: Path) -> None:
    session = sr_of(tmp_path / "a.sr", pulses())
    words = ("-P", "jitter:clk=stimulus:sig=response", "-B", "jitter=ascii-float")
    seen = [round(float(text) * RATE_HZ) for text in sigrok_cli("-i", session, *words).split()]
    result = import_capture(session, PULSES, tmp_path / "run.h5")
    assert latencies_in(result.path) == seen == LATENCIES
    assert result.evaluation.figures.max_ns == pytest.approx(max(LATENCIES) * 1e9 / RATE_HZ)


def test_a_dump_of_the_same_samples_gives_the_same_figures(tmp_path: Path) -> None:
    session = sr_of(tmp_path / "a.sr", pulses())
    dump = vcd_of(tmp_path / "a.vcd", session)
    one = figures_of(session, "--answer", "rising")
    other = figures_of(dump, "--answer", "rising", "--sample-rate", "24 MHz")
    assert (one.pop("scenario"), other.pop("scenario")) == ("a.sr", "a.vcd")
    assert one == other
    counts = one["counts"]
    assert (counts["n"], counts["answered"], one["paired_by"]) == (150, 150, "order alone")


def test_with_a_run_file_and_without_the_figures_are_the_same(tmp_path: Path) -> None:
    session, out = sr_of(tmp_path / "a.sr", toggles()), tmp_path / "run.h5"
    alone, kept = figures_of(session), figures_of(session, "--out", out)
    assert alone == kept
    again = rig("analyze", out, "--json")
    assert again.returncode == 1
    assert "the same figures as stored" in again.stderr
    assert kept.items() <= json.loads(again.stdout).items()
    shown = rig("show", out)
    assert shown.returncode == 0
    assert "INCONCLUSIVE" in shown.stdout
    assert "no second witness" in shown.stdout
    back = tmp_path / "back.sr"
    assert rig("export", out, back).returncode == 0
    assert (
        sigrok_cli("-i", back, "-O", "vcd").partition("$timescale")[2]
        == (sigrok_cli("-i", session, "-O", "vcd").partition("$timescale")[2])
    )


def test_without_out_nothing_is_written(tmp_path: Path) -> None:
    session = sr_of(tmp_path / "a.sr", toggles())
    ended = rig("analyze", session, *SIGNALS)
    assert "Capture latency, a.sr" in ended.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["a.sr"]


def test_edge_glitch_filter_and_sequence_pins(tmp_path: Path) -> None:
    """A falling stimulus, a glitch on the response, and pins that tell of a missed answer."""
    edges, levels = [(10, 0, 1)], [0, 0, 0, 0]

    def toggle(sample: int, channel: int) -> None:
        levels[channel] ^= 1
        edges.append((sample, channel, levels[channel]))

    for number in range(1, 9):
        at = 1_000 * number
        edges += [(at, 0, 0), (at + 100, 0, 1)]
        if number == 4:
            continue
        toggle(at + 50, 1)
        for bit in range(2):
            if number >> bit & 1 != levels[2 + bit]:
                toggle(at + 50, 2 + bit)
        toggle(at + 300, 1)
        toggle(at + 302, 1)
    path = tmp_path / "a.sr"
    write_sr(path, [block(edges, 10_000)], RATE_HZ, ["s", "r", "q0", "q1"], 1)
    signals = CaptureSignals(
        "s", "r", ("q0", "q1"), active_level=0, glitch_filter_ps=10 * 10**12 // RATE_HZ
    )
    result = analyze_capture(path, signals)
    counts = result.evaluation.counts
    assert result.evaluation.paired_by == "sequence pins"
    assert (counts.n, counts.answered, counts.missed, counts.glitches) == (8, 7, 1, 7)
    assert result.evaluation.figures.max_ns == result.evaluation.figures.min_ns


def test_a_damaged_capture_is_incomplete(tmp_path: Path) -> None:
    path = vcd_of(tmp_path / "a.vcd", sr_of(tmp_path / "a.sr", pulses()))
    head, found, tail = path.read_text().partition(" 1!\n")
    path.write_text(head + found + tail.replace(" 1!\n", " x!\n", 1))
    alone = analyze_capture(path, PULSES)
    kept = import_capture(path, PULSES, tmp_path / "run.h5")
    for result in (alone, kept, read(kept.path)):
        assert result.evaluation.verdict is Verdict.INCOMPLETE
        assert result.exit_code == 4
        assert "unknown level at sample" in result.evaluation.reasons[0]
    assert stored_text(kept.path)


def test_a_capture_that_breaks_off_leaves_no_run_file(tmp_path: Path) -> None:
    session = sr_of(tmp_path / "a.sr", pulses())
    data = bytearray(session.read_bytes())
    data[data.index(b"logic-1-1") + 2_000] ^= 0xFF
    session.write_bytes(data)
    with pytest.raises(InputError, match="damaged session file"):
        import_capture(session, PULSES, tmp_path / "run.h5")
    assert not (tmp_path / "run.h5").exists()


def test_names_of_a_file_cannot_paint_the_terminal(tmp_path: Path) -> None:
    session = sr_of(tmp_path / "[bold]a\x1b[31m.sr", toggles())
    ended = rig("analyze", session, *SIGNALS)
    assert ended.returncode == 1, ended.stderr
    assert "Capture latency, [bold]a?[31m.sr" in ended.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "is a capture: say what its channels carry, such as --stimulus D0 --response D1"),
        (("--stimulus", "D0"), "is a capture"),
        ((*SIGNALS, "--sequence", "D7"), "no channel 'D7'"),
        ((*SIGNALS, "--sequence", "D0,"), "the same channel"),
        ((*SIGNALS, "--sequence", ",".join("abcdefghi")), "9 channels; valid: up to 8"),
        ((*SIGNALS, "--glitch-filter", "5"), '"5" is not a number and a unit; valid: such as'),
        ((*SIGNALS, "--glitch-filter", "61 s"), "out of range; valid: 1 ps to 60 s"),
        ((*SIGNALS, "--sample-rate", "25 MHz"), "was sampled at 24000000 Hz"),
        ((*SIGNALS, "--sample-rate", "0 Hz"), "out of range"),
    ],
)
def test_bad_words_are_one_line(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    ended = rig("analyze", sr_of(tmp_path / "a.sr", toggles(LATENCIES[:3])), *words)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert told in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_options_of_captures_are_not_for_run_files(tmp_path: Path) -> None:
    out = tmp_path / "run.h5"
    import_capture(sr_of(tmp_path / "a.sr", toggles()), CaptureSignals(*NAMES), out)
    ended = rig("analyze", out, "--glitch-filter", "1 us")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "is no capture, --glitch-filter is for captures" in ended.stderr
    assert rig("analyze", tmp_path / "none.sr").stderr.startswith(
        f"rig: {tmp_path}/none.sr: no such"
    )
    other = tmp_path / "x.sr"
    other.write_text("hello")
    assert "is no capture; valid: a run file" in rig("analyze", other, *SIGNALS).stderr


def test_a_quiet_capture_has_no_figures(tmp_path: Path) -> None:
    session = sr_of(tmp_path / "a.sr", block([], PERIOD))
    figures = figures_of(session)
    assert figures["counts"]["n"] == 0
    assert figures["measurands"][0]["statistics"]["max_ns"] is None


def test_the_toggling_pin_is_what_is_taken_for_granted(tmp_path: Path) -> None:
    result = import_capture(
        sr_of(tmp_path / "a.sr", toggles()), CaptureSignals(*NAMES), tmp_path / "run.h5"
    )
    assert latencies_in(result.path) == LATENCIES
    assert np.isclose(result.evaluation.duration_s, (len(LATENCIES) - 1) * PERIOD / RATE_HZ)
