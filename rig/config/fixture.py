# SPDX-License-Identifier: GPL-3.0-or-later
"""A fixture: instruments and wires of one bench, written as TOML.

docs/reference/fixtures.md explains it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from rig.capture.analyzers import AnalyzerSettings, OptionValue
from rig.config.clocks import ClockSettings, parse_clocks
from rig.config.links import VIRTUAL, SshLink
from rig.config.plan import NAME_PATTERN, NAME_VALID
from rig.config.scenarios import parse_scenarios
from rig.config.target import ALLOW_COMMANDS, TargetSettings, parse_target
from rig.config.uncertainty import UncertaintySettings, parse_uncertainty
from rig.config.virtual.bench import VirtualSettings, parse_virtual
from rig.instruments import LoadCommand
from rig.resources import find_fixture, fixture_names
from rig.stimulus.chip import StimulusChip, chip_named, chip_names
from rig.toml.reader import TomlFile, TomlTable, read_document
from rig.toml.units import RATE

REPLAY_PREFIX = "replay:"
"""The prefix, in place of a fixture's name, of a run file that is played again."""
STIMULUS = "stimulus"
RESPONSE = "response"
SEQUENCE = tuple(f"sequence{bit}" for bit in range(8))
TASK = "task"
"""The pin of the task that an interrupt interrupts, for dispatch latency."""
SIGNALS = (STIMULUS, RESPONSE, *SEQUENCE, TASK)

TABLES = (
    "fixture", "analyzer", "stimulus", "target", "wire", "uncertainty", "clocks", "virtual",
    "scenarios",
)  # fmt: skip

VIRTUAL_USB = ("fx2lafw", "dreamsourcelab-dslogic")
"""The drivers whose virtual analyzers are on USB."""
VIRTUAL_CHANNELS = {"beaglelogic": (8, 14), **dict.fromkeys(VIRTUAL_USB, (8, 16))}
"""The drivers that virtual analyzers are for, and the channels of one-byte and two-byte samples."""


@dataclass(frozen=True)
class StimulusSettings:
    """The microcontroller that makes the pulses."""

    port: str
    """Serial port, or "virtual"."""
    chip: StimulusChip


@dataclass(frozen=True)
class Wire:
    """One signal and where it is connected."""

    signal: str
    channel: int
    """Bit number of the analyzer's channel."""
    stimulus_pin: str
    """Pin of the microcontroller, or "" if it is not connected there."""
    timer_pin: str
    """The pin as the chip's data sheet names it."""
    target_line: str
    """The target's pin, for people."""
    color: str
    """The color of the wire, for people."""


@dataclass(frozen=True)
class Fixture:
    """One bench. Immutable; `text` is the whole source, for the run file."""

    name: str
    title: str
    analyzer: AnalyzerSettings
    stimulus: StimulusSettings
    target: TargetSettings
    wires: tuple[Wire, ...]
    virtual: VirtualSettings | None
    """The bench behind the cable ends, if all three instruments are virtual."""
    text: str
    source: str
    """File name, or name of the built-in fixture."""
    uncertainty: UncertaintySettings
    """The bench's own errors, as far as they are known."""
    clocks: ClockSettings = field(default_factory=ClockSettings)
    """The bounds by which its clocks may be off, and drift."""
    scenarios: Mapping[str, LoadCommand] = field(default_factory=dict)
    loads_by_hand: frozenset[str] = frozenset()
    """The scenarios whose load the user starts before the run: the rig only notes their name."""
    """Loads that are the user's own programs, by name."""

    @property
    def is_virtual(self) -> bool:
        return self.virtual is not None

    def has_signal(self, signal: str) -> bool:
        return any(wire.signal == signal for wire in self.wires)

    def channel_of(self, signal: str) -> int:
        """Bit number of the channel that sees this signal. Raises KeyError if none does."""
        return {wire.signal: wire.channel for wire in self.wires}[signal]

    @property
    def sequence_channels(self) -> tuple[int, ...]:
        """Channels of the sequence bits, least significant first."""
        return tuple(self.channel_of(signal) for signal in SEQUENCE if self.has_signal(signal))

    @property
    def channel_mask(self) -> int:
        """Bits of all channels that carry a signal."""
        return sum(1 << wire.channel for wire in self.wires)

    @property
    def has_second_witness(self) -> bool:
        """Whether the stimulus's input capture sees the answer too."""
        return any(wire.signal == RESPONSE and wire.stimulus_pin for wire in self.wires)


def load_fixture(name_or_path: str) -> Fixture:
    """Read a built-in fixture or a file. Raises InputError: one line with file, line and key."""
    source = name_or_path if name_or_path in fixture_names() else None
    document = read_document(find_fixture(name_or_path), source)
    return parse_fixture(document.text, document.source)


def parse_fixture(text: str, source: str) -> Fixture:
    """A fixture from its text; `source` is the name used in errors. Raises InputError."""
    root = TomlFile(text, source).root()
    root.allow_only(TABLES)
    head = root.table("fixture")
    head.allow_only(("name", "title"))
    analyzer = _analyzer(root.table("analyzer"))
    stimulus = _stimulus(root.table("stimulus"))
    scenarios, by_hand = parse_scenarios(root.table("scenarios", optional=True))
    return Fixture(
        name=head.text("name", pattern=NAME_PATTERN, valid=NAME_VALID),
        title=head.text("title", "", valid="one line of text"),
        analyzer=analyzer,
        stimulus=stimulus,
        target=_target(root.table("target"), commands=bool(scenarios)),
        wires=_wires(root, analyzer.channels, stimulus.chip),
        virtual=_virtual(root),
        text=text,
        source=source,
        uncertainty=parse_uncertainty(root.table("uncertainty", optional=True)),
        clocks=parse_clocks(root.table("clocks", optional=True)),
        scenarios=scenarios,
        loads_by_hand=by_hand,
    )


def _target(table: TomlTable, *, commands: bool) -> TargetSettings:
    """Parse the target; an agent over ssh may run commands, as its user may run anything."""
    target = parse_target(table)
    link = target.link
    if not commands or not isinstance(link, SshLink) or ALLOW_COMMANDS in link.arguments:
        return target
    return replace(target, link=replace(link, arguments=(*link.arguments, ALLOW_COMMANDS)))


def _analyzer(table: TomlTable) -> AnalyzerSettings:
    keys = ("driver", "connection", "sample_rate", "channels", "stall_timeout", "options")
    table.allow_only(keys)
    driver_valid = 'a driver of libsigrok, such as "fx2lafw"; `sigrok-cli -L` lists them'
    return AnalyzerSettings(
        driver=table.text("driver", pattern="[a-z0-9][a-z0-9-]*", valid=driver_valid),
        connection=table.text("connection", "", valid='libsigrok\'s conn option, or "virtual"'),
        sample_rate_hz=table.quantity(RATE, "sample_rate", 10**3, 10**9),
        channels=table.integer("channels", 1, 16),
        stall_timeout_ps=table.time_ps("stall_timeout", 10**11, 600 * 10**12, 5 * 10**12),
        options=_options(table.table("options", optional=True)),
    )


def _options(table: TomlTable) -> Mapping[str, OptionValue]:
    options: dict[str, OptionValue] = {}
    for key, value in table.values.items():
        if isinstance(value, bool):
            options[key] = value
        elif isinstance(value, int):
            options[key] = table.integer(key, -(2**63), 2**63 - 1)
        else:
            options[key] = table.text(key, valid="a string, an integer, true or false")
    return MappingProxyType(options)


def _stimulus(table: TomlTable) -> StimulusSettings:
    table.allow_only(("port", "chip"))
    port_valid = 'a serial port such as "/dev/ttyACM0", or "virtual"'
    return StimulusSettings(
        port=table.text("port", pattern="virtual|/.+", valid=port_valid),
        chip=chip_named(table.choice("chip", chip_names())),
    )


# --- wires -------------------------------------------------------------------------------------


def _wires(root: TomlTable, channels: int, chip: StimulusChip) -> tuple[Wire, ...]:
    tables = list(root.tables("wire"))
    wires: list[Wire] = []
    for table in tables:
        wire = _wire(table, channels, chip)
        for other, place in zip(wires, tables, strict=False):
            _refuse_shared(table, wire, place, other, channels)
        wires.append(wire)
    _refuse_sequence_gap(tables, wires)
    return tuple(wires)


def _wire(table: TomlTable, channels: int, chip: StimulusChip) -> Wire:
    table.allow_only(("signal", "channel", "stimulus_pin", "target_line", "color"))
    signal = table.choice("signal", SIGNALS)
    valid = f"D0 to D{channels - 1}, as [analyzer] channels = {channels}"
    channel = int(table.text("channel", pattern="D(0|[1-9][0-9]?)", valid=valid)[1:])
    if channel >= channels:
        raise table.error("channel", f"the analyzer has no channel D{channel}", valid)
    pin = _stimulus_pin(table, signal, chip)
    return Wire(
        signal=signal,
        channel=channel,
        stimulus_pin=pin,
        timer_pin=chip.timer_pins[signal] if pin else "",
        target_line=table.text("target_line", "", valid="one line of text"),
        color=table.text("color", "", valid="one line of text"),
    )


def _stimulus_pin(table: TomlTable, signal: str, chip: StimulusChip) -> str:
    """Return the given pin, which the chip's timer fixes; a sequence wire has none."""
    if "stimulus_pin" not in table:
        return ""
    pin = chip.pins.get(signal)
    if pin is None:
        problem = f"{signal} is not wired to the stimulus"
        raise table.error("stimulus_pin", problem, "no stimulus_pin for this signal")
    given = table.text("stimulus_pin", valid=pin)
    if given != pin:
        raise table.error("stimulus_pin", f'"{given}" is not the {chip.name}\'s {signal} pin', pin)
    return pin


def _refuse_shared(
    table: TomlTable, wire: Wire, other_table: TomlTable, other: Wire, channels: int
) -> None:
    if wire.signal == other.signal:
        problem = f"{wire.signal} is wired twice, first in line {other_table.line_of('signal')}"
        raise table.error("signal", problem, "one wire for each signal")
    if wire.channel == other.channel:
        line = other_table.line_of("channel")
        problem = f"D{wire.channel} is used twice, first by {other.signal} in line {line}"
        raise table.error("channel", problem, f"another of D0 to D{channels - 1}")


def _refuse_sequence_gap(tables: list[TomlTable], wires: list[Wire]) -> None:
    wired = {wire.signal for wire in wires}
    for table, wire in zip(tables, wires, strict=True):
        missing = [s for s in SEQUENCE[: _bit(wire.signal)] if s not in wired]
        if missing:
            problem = f"{wire.signal} is wired but {missing[0]} is not"
            raise table.error("signal", problem, "sequence wires from sequence0 up, without a gap")


def _bit(signal: str) -> int:
    return SEQUENCE.index(signal) if signal in SEQUENCE else 0


# --- virtual bench -----------------------------------------------------------------------------


def _virtual(root: TomlTable) -> VirtualSettings | None:
    """Parse the [virtual] table, there if and only if all three instruments are virtual."""
    places = (("analyzer", "connection"), ("stimulus", "port"), ("target", "link"))
    real = [p for p in places if root.table(p[0]).values.get(p[1]) != VIRTUAL]
    if len(real) == len(places):
        if VIRTUAL in root:
            problem = "no instrument of this fixture is virtual"
            raise root.error(VIRTUAL, problem, "no [virtual] table")
        return None
    if real:
        table, key = real[0]
        problem = 'not "virtual", but another instrument is'
        valid = '"virtual" for connection, port and link alike, or for none of them'
        raise root.table(table).error(key, problem, valid)
    analyzer = root.table("analyzer")
    channels = VIRTUAL_CHANNELS.get(str(analyzer.values["driver"]))
    if channels is None:
        problem = "no virtual analyzer speaks the protocol of this driver"
        raise analyzer.error("driver", problem, " or ".join(VIRTUAL_CHANNELS))
    if analyzer.values["channels"] not in channels:
        valid = " or ".join(map(str, channels))
        raise analyzer.error("channels", "not a size of the virtual analyzer", valid)
    virtual = root.table(VIRTUAL, optional=True)
    if "usb" in virtual and analyzer.values["driver"] not in VIRTUAL_USB:
        problem = "this driver's virtual analyzer is not on USB"
        raise virtual.error("usb", problem, f"driver {' or '.join(VIRTUAL_USB)} beside it")
    return parse_virtual(virtual)
