# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig run`, `show`, `analyze`, `export` on the virtual bench, end to end."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess

import h5py
import numpy as np
import pytest

from tests.cli.command import rig
from tests.stored_events import events_of


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run of 200 stimuli, and what `rig run --json` printed."""
    folder = tmp_path_factory.mktemp("run")
    out = folder / "run.h5"
    words = ("--count", 200, "--seed", 7, "--out", out, "--json")
    ended = rig("run", "interrupt", "--fixture", "virtual", *words)
    assert ended.returncode == 0, ended.stderr
    return out, json.loads(ended.stdout)


def test_json_document(finished):
    out, document = finished
    assert document["file"] == str(out)
    assert document["verdict"] == "pass"
    assert (document["measurement"], document["scenario"]) == ("interrupt", "idle")
    counts, figures = document["counts"], document["measurands"][0]["statistics"]
    assert (counts["n"], counts["answered"]) == (200, 200)
    for name in ("missed", "late", "duplicate", "spurious", "merged", "glitches"):
        assert counts[name] == 0
    assert figures["min_ns"] <= figures["median_ns"] <= figures["p99_ns"] <= figures["max_ns"]
    assert figures["gap_ns"] == pytest.approx(figures["max_ns"] - figures["min_ns"])
    assert figures["min_ns"] >= 3000 - 42


def test_show_says_the_same(finished):
    out, document = finished
    assert json.loads(rig("show", out, "--json").stdout) == document
    table = rig("show", out)
    assert table.returncode == 0
    assert "PASS" in table.stdout
    assert f"{document['measurands'][0]['statistics']['max_ns'] / 1e3:.3f}" in table.stdout
    assert max(len(line) for line in table.stdout.splitlines()) <= 130


def test_report_page(finished):
    out, document = finished
    page = out.with_suffix(".html").read_text()
    assert (
        f"observed maximum {document['measurands'][0]['statistics']['max_ns'] / 1e3:.3f} µs" in page
    )
    assert "PASS" in page
    assert "http" not in page.replace("http-equiv", "")


def _computed(path):
    with h5py.File(path) as file:
        found = {}
        for group in ("events", "statistics", "histogram"):
            file[group].visititems(
                lambda name, item, group=group: (
                    found.__setitem__(f"{group}/{name}", np.asarray(item[()]).tobytes())
                    if isinstance(item, h5py.Dataset) and item.dtype != object
                    else None
                )
            )
        return found, file["statistics/json"][()]


def test_analyze_computes_the_same_bytes_again(finished, tmp_path):
    out, document = finished
    copy = tmp_path / "copy.h5"
    copy.write_bytes(out.read_bytes())
    before = hashlib.sha256(copy.read_bytes()).hexdigest()
    again = rig("analyze", copy, "--json")
    assert json.loads(again.stdout) == {**document, "file": str(copy)}
    assert "the same figures as stored" in again.stderr
    assert hashlib.sha256(copy.read_bytes()).hexdigest() == before
    with h5py.File(copy, "a") as file:
        del file["events"], file["statistics"], file["histogram"]
    assert "figures stored" in rig("analyze", copy).stderr
    assert _computed(copy) == _computed(out)


def test_sigrok_decoder_gives_the_same_latencies(finished, tmp_path):
    """The exported capture through libsigrokdecode's jitter decoder: an independent oracle."""
    out, _ = finished
    capture = tmp_path / "capture.sr"
    assert rig("export", out, capture).returncode == 0
    events = events_of(out)
    samples = events["response_sample"] - events["stimulus_sample"]
    # The decoder looks at rising edges of the clock only if told, and at both edges of the answer.
    decoded = subprocess.run(
        ["sigrok-cli", "-i", capture, "-B", "jitter=ascii-float",
         "-P", "jitter:clk=P8_45:sig=P8_46:clk_polarity=rising:sig_polarity=both"],
        capture_output=True,
        check=False,
        timeout=60,
    )  # fmt: skip
    seconds = [float(line) for line in decoded.stdout.split()]
    assert len(seconds) == 200, decoded.stderr
    assert np.round(np.array(seconds) * 24e6).astype(int).tolist() == samples.tolist()


def test_an_existing_file_is_kept(finished, tmp_path):
    out, _ = finished
    before = out.stat()
    ended = rig("run", "interrupt", "--fixture", "virtual", "--out", out)
    assert ended.returncode == 2
    assert "exists already and is not overwritten" in ended.stderr
    assert out.stat() == before


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (("run", "interupt", "--fixture", "virtual"), r"no built-in plan \(did you mean interr"),
        (("run", "interrupt", "--fixture", "./no.toml"), r"no\.toml: no such file"),
        (("run", "interrupt", "--fixture", "virtual", "--count", "0"), r"--count: 0 is out of"),
        (("show", "none.h5"), r"none\.h5: no such file"),
        (("analyze", "/dev/null"), r"no such file|not a readable run file"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_exit_code_2(words, pattern, tmp_path):
    ended = rig(*words, folder=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert re.search(pattern, ended.stderr), ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


LIMITED = """
[plan]
name = "strict"
title = "strict"
measurement = "interrupt"
[stimulus]
pattern = "periodic"
period = "500 us"
count = 50
seed = 1
pulse_width = "10 us"
polarity = "positive"
delay = "1 ms"
[capture]
resolution = "50 ns"
glitch_filter = "200 ns"
[response]
timeout = "5 ms"
[limits]
max_latency = "3.5 us"
"""


def test_an_exceeded_limit_fails(tmp_path):
    (tmp_path / "strict.toml").write_text(LIMITED)
    ended = rig("run", "./strict.toml", "--fixture", "virtual", "--out", "run.h5", folder=tmp_path)
    assert ended.returncode == 1
    assert re.search(
        r"FAIL .*\n  - max latency \d+\.\d{3} us \(U = 0\.\d{3} us\) exceeds 3\.500 us",
        ended.stdout,
    )


def test_a_junit_file_that_cannot_be_written_is_told_before_anything_is_measured(tmp_path):
    words = ("--fixture", "virtual", "--out", "run.h5", "--junit", "no/junit.xml")
    ended = rig("run", "interrupt", *words, folder=tmp_path)
    assert ended.returncode == 2
    assert (
        ended.stderr == "rig: no/junit.xml: there is no folder no; make it, or name another file\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_lists_name_every_built_in():
    assert "interrupt-burst" in rig("plans").stdout
    assert "virtual-misbehaving" in rig("fixtures").stdout


def test_doctor_finds_what_the_virtual_bench_needs():
    ended = rig("doctor")
    assert ended.returncode == 0
    assert re.search(r"ok +libsigrok +0\.\d", ended.stdout)
    assert "MISSING" not in ended.stdout
