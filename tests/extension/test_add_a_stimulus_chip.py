# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/how-to/add-a-stimulus-chip.md is enough: its seven files are a chip of another clock."""

from __future__ import annotations

import json
import re
import subprocess

import numpy as np
import pytest

from rig.record.reader import RunFile
from rig.resources import find_fixture, find_plan
from rig.virtual.truth import load_truth
from tests.extension.copies import ROOT, Copy, files_of

HOW_TO = (ROOT / "docs/how-to/add-a-stimulus-chip.md").read_text(encoding="utf-8")
FILES = files_of("add-a-stimulus-chip.md")
IMAGE = "firmware/image/stimulus-atmega1284p"
LINES = {
    "rig/analysis/uncertainty/chips.py": ('    "atmega1284p"', "}\n"),
    "docs/reference/fixtures.md": ('| | | `"atmega1284p"`', "\n### `[target]`"),
    "firmware/README.md": ("| stimulus, ATmega1284P", "| ground | GND |"),
}
"""What is put into a file begins so; and what it is put before."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    folder = tmp_path_factory.mktemp("chip") / "copy"
    made = Copy.of_checkout(folder, "rig", "firmware", "fixtures", "docs")
    for path, text in FILES.items():
        made.write(path, text)
    for path, (begin, before) in LINES.items():
        (text,) = re.findall(rf"```\w+\n({re.escape(begin)}.*?)```", HOW_TO, re.DOTALL)
        made.edit(path, before, text)
    (command,) = re.findall(r"```sh\nmake -C firmware image (.*?)\n```", HOW_TO)
    ended = subprocess.run(
        ["make", "-s", "-C", made.root / "firmware", "image", command],
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    text = find_fixture("virtual").read_text(encoding="utf-8")
    for old, new in (
        ("atmega328p", "atmega1284p"), ('"D9"', '"D13"'), ('"D8"', '"D14"'),
        ("[virtual.target]", f'[virtual]\ntruth_file = "{folder / "truth.bin"}"\n[virtual.target]'),
    ):  # fmt: skip
        assert text.count(old) == 1
        text = text.replace(old, new)
    made.write("bench.toml", text)
    return made


def test_it_takes_seven_files(copy: Copy) -> None:
    assert copy.changed() == {*FILES, *LINES, f"{IMAGE}.hex", f"{IMAGE}.toml"}
    assert len(copy.changed()) == 7


def test_the_host_knows_chip_and_board(copy: Copy) -> None:
    doctor = copy.rig("doctor")
    assert re.search(
        r"^ok +stimulus firmware image +.*/stimulus-atmega1284p\.hex$", doctor.stdout, re.MULTILINE
    )
    shown = copy.rig("boards", "atmega1284p")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert re.search(r"stimulus +D13\n +response +D14\n", shown.stdout)
    wrong = copy.root / "wrong.toml"
    wrong.write_text((copy.root / "bench.toml").read_text().replace('"D13"', '"D9"'))
    refused = copy.rig("run", "interrupt", "--fixture", wrong, "--out", copy.root / "no.h5")
    assert refused.returncode == 2
    assert "D9" in refused.stderr and "D13" in refused.stderr  # noqa: PT018 - one line


def test_it_measures_by_its_own_clock(copy: Copy) -> None:
    out = copy.root / "interrupt.h5"
    ran = copy.rig("run", "interrupt", "--fixture", "./bench.toml", "--count", 300, "--out", out)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = json.loads(copy.rig("show", out, "--json").stdout)
    figures = found["measurands"][0]["statistics"]
    truth, _ = load_truth(copy.root / "truth.bin")
    latency_ns = (truth["response_ps"] - truth["stimulus_ps"]) / 1e3
    assert (found["verdict"], figures["n"], len(truth)) == ("pass", 300, 300)
    within = {"abs": found["sample_period_ns"]}
    assert figures["average_ns"] == pytest.approx(latency_ns.mean(), **within)
    assert figures["max_ns"] == pytest.approx(latency_ns.max(), **within)
    (delay,) = found["delays"]
    assert "emulated ATmega1284P, whose input has no synchronizer" in delay["source"]
    with RunFile(out) as file:
        stored = json.loads(file.text("settings"))
        ticks = file.captures(0, file.capture_count)
    assert stored["stimulus_clock_hz"] == 20_000_000
    # The plan's times in ticks of this clock, and answers captured in them.
    assert stored["source"]["interval_min_ticks"] == 200e-6 * 20e6
    true_ticks = truth["response_ps"] * (20e6 * (1 + 38e-6) / 1e12)
    off = np.diff(ticks) - np.diff(true_ticks)
    assert np.abs(off).max() <= 1


def test_its_limits_are_its_own(copy: Copy) -> None:
    """9 us are 180 ticks of 20 MHz, and too few of 16 MHz."""
    text = find_plan("interrupt-periodic").read_text(encoding="utf-8")
    text = text.partition("[limits]")[0] + '[limits]\nlate = "any"\nmerged = "any"\n'
    text = text.replace('"10 us"', '"9 us"')
    for name, period in (("shortest", "18 us"), ("shorter", "17 us")):
        copy.write(f"{name}.toml", text.replace('"1.001 ms"', f'"{period}"'))
    for plan, fixture, message in (
        ("shorter", "./bench.toml", "17 us is out of the firmware's range; valid: 18 us to 10 s"),
        (
            "shortest",
            "virtual",
            "9 us is out of the firmware's range; valid: 10 us to 2.0",
        ),
    ):
        refused = copy.rig("run", f"./{plan}.toml", "--fixture", fixture, "--out", "no.h5")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert message in refused.stderr
    out = copy.root / "shortest.h5"
    words = ("--fixture", "./bench.toml", "--count", 2000, "--out", out)
    ran = copy.rig("run", "./shortest.toml", *words)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    with RunFile(out) as file:
        assert (file.report["sent"], file.report["stimulus_late"]) == (2000, 0)
