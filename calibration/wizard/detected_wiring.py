# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires that are sound but on other channels than the fixture's: the wiring as it was found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from calibration.findings import Finding
from calibration.steps.wiring import WiresSeen
from calibration.wizard.question import AnswerOption, Question
from calibration.wizard.state import WizardState, write_whole
from rig.config.fixture import TASK, Fixture

KEY = "wires"
TAKE, MEND = "as-found", "mend"
ELSEWHERE = frozenset(("swapped", "misplaced", "moved"))
"""The kinds of findings of wires with nothing wrong but their place."""
BYTES_MAX = 1 << 12
_PLACE = re.compile("([a-z0-9]{1,20})=D([0-9]{1,2})")
_OR_WRITE = ", or take the wiring as found with --write-fixture"


def channel_seen(signal: str, seen: WiresSeen) -> int | None:
    """Return the channel where this wire arrives; None if it has any other fault."""
    there = seen.arrivals.get(signal, ())
    faults = [finding for finding in seen.findings if finding.fault]
    if len(there) != 1 or there[0].inverted or any(f.kind not in ELSEWHERE for f in faults):
        return None
    return there[0].channel


def complete(fixture: Fixture, channels: Mapping[str, int | None]) -> tuple[str, ...]:
    """Return `response=D2` for every wire; () unless each has its own channel and some moved.

    A task's wire cannot be driven: it keeps its channel, if that is free.
    """
    found: dict[str, int] = {}
    for wire in fixture.wires:
        kept = wire.channel if wire.signal == TASK else None
        channel = channels.get(wire.signal, kept)
        if channel is None:
            return ()
        found[wire.signal] = channel
    planned = {wire.signal: wire.channel for wire in fixture.wires}
    if found == planned or len(set(found.values())) < len(found):
        return ()
    return tuple(f"{signal}=D{channel}" for signal, channel in found.items())


def offered(finding: Finding) -> Finding:
    """Return a finding that adds, for a wire that is elsewhere, that the fixture can follow it."""
    if finding.kind not in ELSEWHERE:
        return finding
    remedy = (f"{finding.remedy.replace(_OR_WRITE, '')} Or leave this wire as it is: if all wires "
              "turn out sound, the next stage offers to take the wiring as found.")  # fmt: skip
    return replace(finding, remedy=remedy)


def write(path: Path, places: Iterable[str]) -> None:
    """Write the places for whoever keeps the wizard's state, or no file. Raises InputError."""
    text = "".join(f"{place}\n" for place in places)
    if text:
        write_whole(path, text)
    else:
        path.unlink(missing_ok=True)


def read(path: Path) -> tuple[str, ...]:
    """Return the places that were written there; () if there is no file or anything else in it."""
    try:
        with path.open("rb") as file:
            lines = file.read(BYTES_MAX).decode("ascii", "replace").splitlines()
    except OSError:
        return ()
    return tuple(lines) if all(_PLACE.fullmatch(line) for line in lines) else ()


def channels_of(state: WizardState) -> dict[str, int]:
    """Return the channels by signal, if the user took the wiring as found."""
    if state.answer(KEY) != TAKE:
        return {}
    matches = (_PLACE.fullmatch(place) for place in state.as_found)
    return {match[1]: int(match[2]) for match in matches if match}


def without(state: WizardState) -> WizardState:
    """Return the state without a wiring as found: there is none, or it does not hold any more."""
    answers = {key: answer for key, answer in state.answers.items() if key != KEY}
    return replace(state, answers=answers, as_found=())


def questions(state: WizardState) -> tuple[Question, ...]:
    """Return the question whether to take the wiring as found, if there is one."""
    if not state.as_found:
        return ()
    where = ", ".join(place.replace("=", " on ") for place in state.as_found)
    choices = (
        AnswerOption(TAKE, f"take the wiring as found: {where}"),
        AnswerOption(MEND, "keep the channels as planned; I exchange the clips"),
    )
    return (Question(KEY, "Wires on other channels", TAKE, choices),)


def explain(state: WizardState) -> tuple[str, ...]:
    """Return why that is asked."""
    if not state.as_found:
        return ()
    return ("All wires are sound, but some arrive on other channels than planned. The fixture can "
            "follow them: it is changed, and no clip has to be.",)  # fmt: skip
