# SPDX-License-Identifier: GPL-3.0-or-later
"""The abilities of a stimulus microcontroller, as its firmware reports them.

A firmware answers SYST:CHIP? from its own definitions. What it answers is stored beside each image
when that is built (firmware/manifest.py), so that the rig knows it before anything is connected;
when a microcontroller is opened, the two are compared.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Final

from rig.errors import InputError
from rig.resources import firmware_manifest, stimulus_chips
from rig.stimulus.limits import Span, TrainLimits
from rig.stimulus.train import PATTERNS, Train

_TEXT: Final = re.compile("[!-+\\--<>-~]{1,40}")
_SPANS: Final = ("delay", "width")
_NUMBERS: Final = ("clock_hz", "captures", "rest")
_TEXTS: Final = ("chip", "title")
_PINS: Final = ("stimulus", "response")


@dataclass(frozen=True)
class StimulusChip:
    """A microcontroller with its firmware."""

    name: str
    """The name in fixtures, such as "atmega328p"."""
    title: str
    """The name as its maker writes it."""
    pins: Mapping[str, str]
    """The pins by signal, as its board names them: its timer settles which they are."""
    timer_pins: Mapping[str, str]
    """The pins by signal, as its data sheet names them."""
    clock_hz: int
    """The nominal rate of its clock."""
    captures: int
    """The number of captured edges that it can hold until they are fetched."""
    limits: TrainLimits
    """The limits of the trains that it can make."""

    @property
    def how_to_flash(self) -> str:
        """The remedy for a wrong firmware, as the end of a sentence."""
        return "flash the one that comes with it: `rig stimulus flash`"

    def check(self, train: Train) -> None:
        """Raise ValueError if it cannot make this train: the field, its value, what is valid."""
        replace(train, limits=self.limits)

    def differences(self, other: StimulusChip) -> list[str]:
        """Return what differs in `other`, each in a few words."""
        own, others = _properties(self), _properties(other)
        return [f"{k} is {others[k]}, not {own[k]}" for k in own if others[k] != own[k]]


def _properties(chip: StimulusChip) -> dict[str, object]:
    """Return all properties of a chip, by name."""
    found = {each.name: getattr(chip, each.name) for each in fields(chip)}
    limits = found.pop("limits")
    return found | {each.name: getattr(limits, each.name) for each in fields(limits)}


def described(text: str) -> StimulusChip:
    """Return the chip of a reply to SYST:CHIP? (firmware/PROTOCOL.md). Raises ValueError.

    Properties and patterns that are unknown to this version are left out.
    """
    texts: dict[str, str] = {}
    numbers: dict[str, int] = {}
    spans: dict[str, Span] = {}
    patterns: dict[str, Span] = {}
    for item in text.split(","):
        key, _, value = item.partition("=")
        if key in (*_TEXTS, *_PINS) and _TEXT.fullmatch(value):
            texts[key] = value
        elif key in _NUMBERS:
            numbers[key] = _number(value)
        elif key in _SPANS:
            spans[key] = _span(value)
        elif key == "pattern":
            mnemonic, _, span = value.partition(":")
            patterns[mnemonic] = _span(span)
        elif key in (*_TEXTS, *_PINS) or not re.fullmatch("[a-z_]+", key):
            raise ValueError(f"{item!a:.60} is no property of a chip")
    missing = {*_TEXTS, *_PINS, *_NUMBERS, *_SPANS} - {*texts, *numbers, *spans}
    if missing:
        raise ValueError(f"{', '.join(sorted(missing))} missing")
    pins = {signal: texts[signal].partition(":") for signal in _PINS}
    return StimulusChip(
        name=texts["chip"],
        title=texts["title"],
        pins={signal: pin for signal, (pin, _, _) in pins.items()},
        timer_pins={signal: pin for signal, (_, _, pin) in pins.items()},
        clock_hz=numbers["clock_hz"],
        captures=numbers["captures"],
        limits=TrainLimits(
            delay_ticks=spans["delay"],
            width_ticks=spans["width"],
            rest_ticks=numbers["rest"],
            interval_ticks={each: span for each, span in patterns.items() if each in PATTERNS},
        ),
    )


def _number(text: str) -> int:
    if not re.fullmatch("[0-9]{1,10}", text) or not int(text):
        raise ValueError(f"{text!a:.40} is no number")
    return int(text)


def _span(text: str) -> Span:
    least, _, most = text.partition(":")
    span = _number(least), _number(most)
    if span[0] > span[1]:
        raise ValueError(f"{text} is no range")
    return span


def chip_names() -> tuple[str, ...]:
    """Return the names of all chips whose firmware comes with the rig, sorted."""
    return stimulus_chips()


@cache
def chip_named(name: str) -> StimulusChip:
    """Return the chip of this name, as the firmware that comes with the rig describes it.

    Raises InputError if there is none, or if its description is not valid.
    """
    path = firmware_manifest(name)
    try:
        return described(str(tomllib.loads(path.read_text(encoding="utf-8"))["description"]))
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{path}: no description of a chip ({error})") from None
