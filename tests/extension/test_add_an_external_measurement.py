# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/how-to/add-an-external-measurement.md is enough: its six files measure a bench of truth."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rig.resources import find_fixture
from rig.virtual.truth import load_truth
from tests.extension.copies import Copy, files_of

FILES = files_of("add-an-external-measurement.md")
REGISTRY = "rig/measurements/registry.py"
COUNT, RATES = 50, 8
_CURVE = """
import sys
from pathlib import Path
from gui.engine.outcome import done, outcome_of
from rig.session.results import read
print(len(outcome_of(done(read(Path(sys.argv[1])), Path("page.html"), None)).curve.points))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    made = Copy.of_checkout(tmp_path_factory.mktemp("external") / "copy", "rig")
    for path, text in FILES.items():
        made.write(path, text)
    first = "from rig.measurements.reported import Subject\n"
    made.edit(REGISTRY, first, "from rig.measurements.rate_sweep import LatencyOverRate\n")
    made.edit(REGISTRY, "        Saturation(),\n", "        LatencyOverRate(),\n")
    return made


@pytest.fixture(scope="module")
def run_file(copy: Copy) -> Path:
    """A run on a bench that keeps what was true."""
    text = find_fixture("virtual").read_text(encoding="utf-8")
    place = "[virtual.target]"
    assert text.count(place) == 1
    fixture, out = copy.root / "bench.toml", copy.root / "sweep.h5"
    fixture.write_text(
        text.replace(place, f'[virtual]\ntruth_file = "{copy.root / "truth.bin"}"\n{place}')
    )
    ran = copy.rig("run", "rate-sweep", "--fixture", fixture, "--count", COUNT, "--out", out)
    assert ran.returncode == 0, ran.stderr
    assert "measuring hold 8 at 20,000/s: 400/400 stimuli, 400 answered" in ran.stderr
    return out


def test_it_takes_six_files(copy: Copy) -> None:
    assert copy.changed() == {*FILES, REGISTRY}
    assert len(copy.changed()) == 6


def test_its_figures_are_what_was_true(copy: Copy, run_file: Path) -> None:
    shown = copy.rig("show", run_file, "--json")
    assert (shown.returncode, shown.stderr) == (0, "")
    found = json.loads(shown.stdout)
    assert (found["measurement"], found["verdict"], found["planned"]) == (
        "rate_sweep", "pass", COUNT * RATES,
    )  # fmt: skip
    truth, _ = load_truth(copy.root / "truth.bin")
    sample_ns = found["sample_period_ns"]
    latency_ns = (truth["response_ps"] - truth["stimulus_ps"]).reshape(RATES, COUNT) / 1e3
    steps = found["details"]["steps"]
    asked_hz = np.geomspace(500, 20_000, RATES)
    assert [step["rate_hz"] for step in steps] == pytest.approx(asked_hz, rel=1e-3)
    within = {"abs": sample_ns}
    for name, figure in (("average_ns", latency_ns.mean(1)), ("max_ns", latency_ns.max(1))):
        assert [step[name] for step in steps] == pytest.approx(figure, **within)
    measurands = {each["name"]: each["statistics"] for each in found["measurands"]}
    for name, values in (
        ("latency", latency_ns), ("slowest_latency", latency_ns[0]),
        ("fastest_latency", latency_ns[-1]),
    ):  # fmt: skip
        assert measurands[name]["n"] == values.size
        assert measurands[name]["average_ns"] == pytest.approx(values.mean(), **within)
        assert measurands[name]["max_ns"] == pytest.approx(values.max(), **within)
    (limit,) = (each for each in found["limits"] if each["name"] == "max_fastest_latency")
    assert limit["value"] == pytest.approx(latency_ns[-1].max(), abs=2 * sample_ns)


def test_it_is_reported(copy: Copy, run_file: Path) -> None:
    printed = copy.rig("show", run_file).stdout
    assert f"{RATES} trains of {COUNT}, each of one rate" in printed
    assert "Latency at each rate" in printed
    assert "agree       holds: " in printed
    page = run_file.with_suffix(".html").read_text(encoding="utf-8")
    assert "<title>Latency over rate</title>" in page
    assert "Average latency over the rate of stimuli." in page
    rows = copy.rig("table", run_file).stdout
    assert all(part in rows for part in ("slowest", "fastest"))
    drawn = copy.python("-c", _CURVE, run_file)
    assert (drawn.stdout, drawn.stderr) == (f"{RATES}\n", ""), drawn.stderr


def test_its_plan_is_checked(copy: Copy) -> None:
    plan = FILES["rig/plans/rate-sweep.toml"]
    for number, (old, new, message) in enumerate(
        (
            ("rates = 8 ", "rates = 1 ", "[sweep] rates: 1 is out of range; valid: an integer"),
            ('"20 kHz"', '"60 kHz"', "[sweep] rate_stop: 60 kHz is out of the firmware's range"),
            ('"50 ms"', '"5 ms"', "[response] timeout: no rest that tells two rates apart"),
            ('"rate_sweep"', '"interrupt"', "sweep: belongs to measurement rate_sweep, not to"),
        )
    ):
        assert old in plan
        own = copy.root / f"own{number}.toml"
        own.write_text(plan.replace(old, new))
        ran = copy.rig("run", own, "--fixture", "virtual", "--out", own.with_suffix(".h5"))
        assert (ran.returncode, ran.stdout) == (2, "")
        assert message in ran.stderr
