# SPDX-License-Identifier: GPL-3.0-or-later
"""One crafted file, or folder of files, and the commands that are to be tried on it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from rig.campaign.index import NAME as INDEX_NAME
from tests.fuzz.commands.craft import crafted_run
from tests.fuzz.commands.nasty import broken_bytes, edited_text, edited_toml
from tests.fuzz.commands.sound import Sound

Words = list[str]
SIGNALS = ["--stimulus", "D0", "--response", "D1"]


@dataclass(frozen=True)
class Case:
    """What was made, how, and the words of each command."""

    kind: str
    made: str
    commands: list[Words]


def crafted(random: Random, folder: Path, sound: Sound) -> Case:
    """Make the files of a case in an empty folder."""
    kind = random.choices(list(KINDS), [share for share, _ in KINDS.values()])[0]
    return KINDS[kind][1](random, folder, sound)


def _run_file(random: Random, folder: Path, sound: Sound) -> Case:
    path, good, out = folder / "run.h5", folder / "good.h5", folder / "out"
    made = crafted_run(random, path, sound.runs)
    event = str(random.choice([0, 1, 59, 60, 10**9, -1]))
    ways: list[tuple[int, Words]] = [
        (9, ["show", "run.h5"]),
        (6, ["show", "run.h5", "--json"]),
        (3, ["show", "run.h5", "--without-above", random.choice(ABOVE)]),
        (9, ["analyze", "run.h5"]),
        (5, ["analyze", "run.h5", "--json", "--calibration", "none"]),
        (2, ["report", "run.h5", "-o", "out.html", "--junit", "out.xml"]),
        (4, ["compare", "good.h5", "run.h5", *random.choice([[], ["--json"]])]),
        (9, ["table", "run.h5", "--format", random.choice(FORMATS)]),
        (2, ["table", "run.h5", "--shape", random.choice(SHAPES)]),
        (2, ["table", "run.h5", "--reference", random.choice(REFERENCES)]),
        (1, ["table", "run.h5", "--history", "-o", "out.html"]),
        (3, ["export", "run.h5", "out.sr"]),
        (3, ["export", "run.h5", "out.vcd", "--event", event]),
        (4, ["export", "run.h5", "out.csv"]),
        (9, ["recover", "run.h5", "out.h5"]),
        (3, ["run", "interrupt", "--fixture", "replay:run.h5", "-o", "out.h5", "--quiet"]),
        (9, [WINDOW, "run.h5"]),
    ]
    ways += [(9, ["verify", "run.h5"])] if HAS_VERIFY else []
    chosen = random.choices(
        [words for _, words in ways], [w for w, _ in ways], k=random.choice([1, 1, 2])
    )
    if any(words[0] == "compare" for words in chosen):
        good.write_bytes(sound.runs[1])
    assert not out.exists()
    return Case("run file", made, chosen)


WINDOW = "window"
"""Not a command: what the window reads of a run file."""
FORMATS = ("terminal", "html", "csv", "latex", "markdown")
SHAPES = ("scenarios", "comparison", "slides", "thesis", "golem", "rhealstone")
REFERENCES = ("radder", "slides", "thesis")
ABOVE = ("25ns", "10us", "0 s", "1e300 s", "-1us", "ns")
HAS_VERIFY = (Path(__file__).parents[3] / "rig" / "cli" / "verify.py").exists()


def _capture(random: Random, folder: Path, sound: Sound) -> Case:
    suffix = random.choice(["sr", "vcd"])
    some = sound.captures[suffix]
    path = folder / f"capture.{suffix}"
    data = broken_bytes(random, random.choice(some), random.choice(some))
    if suffix == "vcd" and random.random() < 0.5:
        text = edited_toml(random, data.decode(errors="surrogateescape"))
        data = text.encode("utf-8", "surrogateescape" if "\ud800" not in text else "replace")
    path.write_bytes(data)
    more = random.choice(
        [[], ["--json"], ["--out", "out.h5"], ["--sequence", "D2,D3"], ["--sample-rate", "1 Hz"],
         ["--glitch-filter", "1 s"], ["--sample-rate", "1 THz"]]
    )  # fmt: skip
    return Case(suffix, "bytes", [["analyze", path.name, *SIGNALS, *more]])


def _written(random: Random, path: Path, text: str) -> None:
    path.write_bytes(edited_toml(random, text).encode("utf-8", "surrogatepass"))


def _plan(random: Random, folder: Path, sound: Sound) -> Case:
    _written(random, folder / "plan.toml", random.choice(sound.plans))
    words = ["run", "plan.toml", "--fixture", "replay:none.h5", "-o", "out.h5"]
    return Case("plan", "text", [words])


def _fixture(random: Random, folder: Path, sound: Sound) -> Case:
    _written(random, folder / "fixture.toml", random.choice(sound.fixtures))
    return Case("fixture", "text", [["calibration", "show", "--fixture", "fixture.toml"]])


def _calibration(random: Random, folder: Path, sound: Sound) -> Case:
    _written(random, folder / "calibration.toml", random.choice(sound.calibrations))
    (folder / "good.h5").write_bytes(sound.runs[1])
    ways = [
        ["calibration", "show", "calibration.toml", *random.choice([[], ["--all"], ["--json"]])],
        ["analyze", "good.h5", "--calibration", "calibration.toml"],
    ]
    return Case("calibration", "text", [random.choice(ways)])


def _campaign(random: Random, folder: Path, sound: Sound) -> Case:
    place = folder / "campaign"
    place.mkdir()
    text = edited_text(random, sound.campaign) if random.random() < 0.6 else sound.campaign
    (place / INDEX_NAME).write_bytes(text.encode("utf-8", "surrogatepass"))
    made = "index"
    for number in (0, 5):
        path = place / f"run-{number}.h5"
        if random.random() < 0.4:
            made += f", {crafted_run(random, path, sound.runs)}"
        else:
            path.write_bytes(random.choice(sound.runs))
    if random.random() < 0.1:
        with contextlib.suppress(OSError):
            os.mkfifo(place / "pipe.h5")
    ways = [
        ["table", "campaign", "--format", random.choice(FORMATS)],
        ["table", "campaign", "--shape", random.choice(SHAPES)],
        ["table", "campaign", "--history", "-o", "out.html"],
        ["run", "quick", "--fixture", "virtual", "--dry-run", "-o", "campaign"],
    ]
    return Case("campaign", made, [random.choice(ways)])


def _answers(random: Random, folder: Path, sound: Sound) -> Case:
    """The wizard's state, and answers given in a file."""
    state = '{"format": 1, "name": "b", "stage": "board", "answers": {}, "done": {}, ' \
        '"checked": [], "fixture": "", "run": "", "as_found": []}'  # fmt: skip
    (folder / "state.json").write_bytes(edited_text(random, state).encode("utf-8", "surrogatepass"))
    _written(random, folder / "answers.toml", 'name = "bench"\nboard = "generic-gpio"\n')
    words = ["calibrate", "--new", "b", "--state", "state.json", "--answers", "answers.toml"]
    return Case("wizard", "state", [words])


KINDS: dict[str, tuple[int, Callable[[Random, Path, Sound], Case]]] = {
    "run file": (74, _run_file),
    "capture": (9, _capture),
    "plan": (4, _plan),
    "fixture": (3, _fixture),
    "calibration": (4, _calibration),
    "campaign": (6, _campaign),
}
