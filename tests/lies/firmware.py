# SPDX-License-Identifier: GPL-3.0-or-later
"""Stimulus firmware that lies: the real sources with a line changed, built for the real chip."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.chip import CHIP

ROOT = Path(__file__).parents[2] / "firmware"
IMAGE = f"stimulus-{CHIP.name}.hex"
_ENGINE, _STEPS, _TRAIN = "avr/engine.c", "core/steps.c", "core/train.c"
_DESCRIPTION = "core/description.c"
_BEGIN = "    steps_begin(&steps, settings);"
_SENT = "status->sent = whole(&match_sent);"
_WAIT = "steps->wait_ticks = interval_ticks - steps->width_ticks;"
_STAMP = "captures[place % CAPTURE_RING] = ((uint32_t)round << 16) | stamp;"
_FALSE_STAMP = "captures[place % CAPTURE_RING] = (((uint32_t)round << 16) | stamp) + ({});"
_WRITTEN = "captures_written = place + 1;"
_COUNT = """    struct train_settings false_settings = *settings;
    false_settings.count += {};
    steps_begin(&steps, &false_settings);"""
_ONCE = "(steps->edges_after == 40 ? {0} : steps->edges_after == 39 ? -({0}) : 0)"

Change = tuple[str, str, str]
"""File, what is there once, and what is there instead; `SIZE` is the lie's size."""

LIES: dict[str, tuple[Change, ...]] = {
    # What leaves the pin.
    "more_pulses": ((_ENGINE, _BEGIN, _COUNT.format("SIZE")),),
    "fewer_pulses": ((_ENGINE, _BEGIN, _COUNT.format("-(SIZE)")),),
    "fewer_pulses_hidden": (
        (_ENGINE, _BEGIN, _COUNT.format("-(SIZE)")),
        (_ENGINE, _SENT, "status->sent = whole(&match_sent) + (SIZE);"),
    ),
    "intervals_long": ((_STEPS, _WAIT, _WAIT.replace(";", " + (SIZE);")),),
    "one_late": ((_STEPS, _WAIT, _WAIT.replace(";", f" + {_ONCE.format('SIZE')};")),),
    "seed": (
        (_TRAIN, "train_begin(struct train_sequence *sequence, "
         "const struct train_settings *settings)\n{",
         "train_begin(struct train_sequence *sequence, const struct train_settings *given)\n{\n"
         "    struct train_settings false_settings = *given, *settings = &false_settings;\n"
         "    false_settings.seed += SIZE;"),
    ),
    "pulses_long": (
        (_ENGINE, "match_width_ticks = (uint16_t)settings->width_ticks;",
         "match_width_ticks = (uint16_t)(settings->width_ticks + (SIZE));"),
        (_STEPS, "steps->width_ticks = (uint16_t)settings->width_ticks;",
         "steps->width_ticks = (uint16_t)(settings->width_ticks + (SIZE));"),
    ),
    "polarity": (
        (_ENGINE, "match_action_rest = polarity == ", "match_action_rest = polarity != "),
        (_ENGINE, "match_action_pulse = polarity == ", "match_action_pulse = polarity != "),
    ),
    # What it says of them.
    "count_high": ((_ENGINE, _SENT, "status->sent = whole(&match_sent) + (SIZE);"),),
    "count_low": ((_ENGINE, _SENT, "status->sent = whole(&match_sent) - (SIZE);"),),
    "clock": (
        (_DESCRIPTION, "report_unsigned(CLOCK_HZ);",
         "report_unsigned(CLOCK_HZ + CLOCK_HZ / 1000000 * (SIZE));"),
    ),
    # The answers' stamps.
    "captures_late": ((_ENGINE, _STAMP, _FALSE_STAMP.format("SIZE")),),
    "one_capture_late": ((_ENGINE, _STAMP, _FALSE_STAMP.format("(place == 50 ? (SIZE) : 0)")),),
    "captures_scaled": (
        (_ENGINE, _STAMP, _STAMP + "\n        captures[place % CAPTURE_RING] += "
         "captures[place % CAPTURE_RING] / (1000000 / (SIZE));"),
    ),
    "captures_dropped": (
        (_ENGINE, _WRITTEN,
         "static uint8_t seen, gone;\n        if (seen < 50 || gone == (SIZE)) {\n"
         "            seen++;\n            " + _WRITTEN + "\n        } else {\n"
         "            gone++;\n        }"),
    ),
}  # fmt: skip


def built(name: str, size: int) -> Path:
    """The image of this lie, built once. Raises ValueError if the sources have changed."""
    version = hashlib.sha256((ROOT / "image" / IMAGE).read_bytes()).hexdigest()[:8]
    folder = Path(tempfile.gettempdir()) / "rig-lying-firmware" / f"{name}-{size}-{version}"
    image = folder / IMAGE
    if image.exists():
        return image
    folder.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as work:
        source = Path(work) / "firmware"
        shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns("build", "emulator", "tests"))
        for file, there, instead in LIES[name]:
            text = (source / file).read_text(encoding="utf-8")
            if text.count(there) != 1:
                raise ValueError(f"{file}: {there!r} is there {text.count(there)} times")
            (source / file).write_text(text.replace(there, instead.replace("SIZE", str(size))))
        subprocess.run(["make", "--silent", "-C", source, "all"], check=True, capture_output=True)
        made = Path(work) / "made"
        made.mkdir()
        shutil.copy(source / "build" / IMAGE, made)
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
    return image
