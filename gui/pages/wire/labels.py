# SPDX-License-Identifier: GPL-3.0-or-later
"""A fixture in words: the boxes of its picture, and the descriptions of its wires."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication

from rig.capture.usb_analyzers import KNOWN
from rig.config.fixture import Fixture, Wire
from rig.config.links import VIRTUAL, SerialLink, SshLink, TcpLink
from rig.services.finding import DoctorFinding
from rig.toml.units import RATE

LOOKED_FOR: Final = {"beaglelogic", *(kind.driver for kind in KNOWN.values())}
"""The drivers whose analyzers `rig doctor` sees when they are there."""


def tr(text: str) -> str:
    """Return a text in the language in force."""
    return QCoreApplication.translate("Wire", text)


@dataclass(frozen=True)
class Label:
    """The content of a box: a title, lines below it, and whether the thing itself was found."""

    title: str
    lines: tuple[str, ...]
    note: str = ""
    tone: str = "dim"
    """The note's tone: a field of the palette."""


def analyzer_label(fixture: Fixture, findings: Sequence[DoctorFinding] | None) -> Label:
    """Return the analyzer's box; `findings` is None before anything was looked for."""
    settings = fixture.analyzer
    where = settings.connection or tr("first found")
    free = [f"D{n}" for n in range(settings.channels) if not fixture.channel_mask >> n & 1]
    sampled = tr("{0}, {1} channels").format(
        RATE.format(settings.sample_rate_hz), settings.channels
    )
    unused = tr("not wired: {0}").format(_span(free)) if free else tr("all wired")
    lines = (f"{settings.driver}, {where}", f"{sampled}, {unused}")
    note, tone = "", "dim"
    is_looked_for = settings.driver in LOOKED_FOR and not settings.connection
    if is_looked_for and findings is not None:
        there = any(finding.driver == settings.driver for finding in findings)
        note, tone = (tr("found"), "good") if there else (tr("not found"), "warn")
    return Label(tr("Analyzer"), lines, note, tone)


def stimulus_label(fixture: Fixture, findings: Sequence[DoctorFinding] | None) -> Label:
    """Return the microcontroller's box, as `analyzer_label`."""
    chip, port = fixture.stimulus.chip, fixture.stimulus.port
    note, tone = "", "dim"
    if not fixture.is_virtual and findings is not None:
        ports = {_real(finding.port) for finding in findings if finding.port}
        there = _real(port) in ports
        note, tone = (tr("found"), "good") if there else (tr("not found"), "warn")
    return Label(tr("Microcontroller"), (chip.title, port), note, tone)


def target_label(fixture: Fixture) -> Label:
    """Return the target's box: how it is reached, and how it answers."""
    match fixture.target.link:
        case SshLink() as link:
            how, where = "ssh", link.host
        case TcpLink() as link:
            how, where = "tcp", f"{link.host}:{link.port}"
        case SerialLink() as link:
            how, where = tr("serial"), link.device
        case _:
            how, where = tr("agent"), VIRTUAL
    answer = tr("answers by a toggle")
    return Label(tr("Target"), (f"{how} {where}", answer))


def short_rate(rate_hz: float) -> str:
    """Return a rate in as few characters as can be: 0, 950, 1.2k, 25k, 3.1M."""
    for unit, factor in (("M", 1e6), ("k", 1e3)):
        if rate_hz >= factor:
            value = rate_hz / factor
            return f"{value:.1f}{unit}" if value < 9.95 else f"{value:.0f}{unit}"
    return f"{rate_hz:.0f}"


def wire_name(wire: Wire) -> str:
    """Return the signal, and the color if it is known."""
    return f"{wire.signal}, {wire.color}" if wire.color else wire.signal


def wire_words(wire: Wire) -> str:
    """Return all that is known of a wire, on one line."""
    ends = [tr("analyzer D{0}").format(wire.channel)]
    if wire.stimulus_pin:
        also = f" ({wire.timer_pin})" if wire.timer_pin else ""
        ends.append(tr("microcontroller {0}").format(wire.stimulus_pin + also))
    ends.append(tr("target {0}").format(wire.target_line or tr("(pin not named)")))
    return f"{wire_name(wire)}: {', '.join(ends)}"


def _span(names: list[str]) -> str:
    """Return names of channels, the middle of a row of them left out."""
    numbers = [int(name[1:]) for name in names]
    in_a_row = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    return f"{names[0]}\u2013{names[-1]}" if in_a_row and len(names) > 2 else ", ".join(names)


def _real(port: str) -> str:
    """Return the device behind a link such as those in /dev/serial/by-id."""
    return str(Path(port).resolve())
