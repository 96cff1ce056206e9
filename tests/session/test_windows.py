# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows around events: what sigrok reads from them is what happened."""

from __future__ import annotations

import json
import subprocess

import h5py
import pytest

from benchmarks.measured_run import write_measured_run
from rig.record import amend
from rig.report.pictures import pictures_of
from rig.services.measure import finish
from rig.session.results import read
from tests.cli.command import rig
from tests.stored_events import events_of


@pytest.fixture(scope="module")
def misbehaved(tmp_path_factory):
    """A run with misses, mergers and late answers."""
    out = tmp_path_factory.mktemp("run") / "run.h5"
    words = ("--fixture", "virtual-misbehaving", "--count", 600, "--out", out)
    ended = rig("run", "interrupt", *words)
    assert ended.returncode == 1, ended.stderr
    assert f"windows:  {out.with_suffix('.windows')}/" in ended.stdout
    return out


def decoded_us(path):
    """Latencies in a capture, by sigrok's own decoder."""
    decoder = "jitter:clk=P8_45:sig=P8_46:clk_polarity=rising:sig_polarity=both"
    command = ["sigrok-cli", "-i", path, "-B", "jitter=ascii-float", "-P", decoder]
    ended = subprocess.run(command, capture_output=True, check=True, timeout=60)
    return [float(text) * 1e6 for text in ended.stdout.split()]


def test_written_windows_are_linked_and_show_their_events(misbehaved):
    with h5py.File(misbehaved) as file:
        links = json.loads(file["windows"][()])
    events = events_of(misbehaved)
    files = {f"{p.parent.name}/{p.name}" for p in misbehaved.with_suffix(".windows").iterdir()}
    assert {link["file"] for link in links} == files
    assert 2 < len(links) <= 16
    latency = events["response_sample"] - events["stimulus_sample"]
    latency[events["response_sample"] < 0] = -1
    (worst,) = [link for link in links if link["reason"] == "maximum"]
    assert worst["event"] == latency.argmax()
    kinds = {"late": 1, "missed": 2, "merged": 3}
    for link in links:
        if link["reason"] != "maximum":
            assert events["status"][link["event"]] == kinds[link["reason"]]


@pytest.mark.parametrize("suffix", ["sr", "vcd"])
def test_one_event_exported(misbehaved, tmp_path, suffix):
    events = events_of(misbehaved)
    event = int((events["status"] == 0).argmax())
    rows = [events[f"{name}_sample"][event] for name in ("response", "stimulus")]
    with h5py.File(misbehaved) as file:
        rate_hz = json.loads(file["settings"][()])["sample_rate_hz"]
    out = tmp_path / f"event.{suffix}"
    ended = rig("export", misbehaved, out, "--event", event, "--margin", "50 us")
    assert ended.returncode == 0, ended.stderr
    (found,) = decoded_us(out)
    assert found == pytest.approx((rows[0] - rows[1]) / rate_hz * 1e6, abs=0.002)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("o.sr", "--event", "600"), "no event 600; valid: 0 to 599"),
        (("o.sr", "--event", "1", "--margin", "5 kg"), '--margin: "kg" is not a unit of'),
        (("o.txt",), "o.txt: valid names end in .sr, .vcd or .csv"),
    ],
)
def test_bad_exports(misbehaved, tmp_path, words, message):
    ended = rig("export", misbehaved, *words, folder=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert message in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_finished_by_one_copy_of_its_file(tmp_path, monkeypatch):
    run = tmp_path / "run.h5"
    write_measured_run(run, 3000)
    copies = []
    copied = amend._copied
    monkeypatch.setattr(amend, "_copied", lambda path: copies.append(path) or copied(path))
    finished = finish(run)
    assert copies == [run]
    assert finished.windows == run.with_suffix(".windows")
    with h5py.File(run) as file:
        links = json.loads(file["windows"][()])
    assert [link["reason"] for link in links].count("maximum") == 1
    assert sorted(f"run.windows/{path.name}" for path in finished.windows.iterdir()) == sorted(
        link["file"] for link in links
    )
    assert pictures_of(finished.result).windows == pictures_of(read(run)).windows
