# SPDX-License-Identifier: GPL-3.0-or-later
"""The [virtual.wiring] table of a fixture: what is wired wrongly on the virtual bench."""

from __future__ import annotations

from dataclasses import dataclass

from rig.config.virtual.delays import DELAY_MAX_PS
from rig.toml.reader import TomlTable
from rig.toml.units import RATE

CHANNELS_MAX = 14
RATE_MIN_HZ, RATE_MAX_HZ = 10_000, 100_000_000
_CHANNEL = "D(0|[1-9][0-9]?)"
_PAIR_VALID = 'two different channels, such as "D0 D1"'
_LIST_VALID = 'one or more different channels, such as "D1" or "D1 D4"'
_LISTS = ("open", "invert", "stuck_high", "stuck_low", "no_rising", "no_falling")


@dataclass(frozen=True)
class WiringFaults:
    """What happens between the drivers of the wires and the analyzer, in this order.

    Channels are bit numbers; a fault of a channel is at the analyzer's end of its wire.
    """

    swap: tuple[int, ...] = ()
    """Two channels whose clips are exchanged."""
    short: tuple[int, ...] = ()
    """Two channels that touch: both show a high of either."""
    open: tuple[int, ...] = ()
    """Connected to nothing, and read low."""
    invert: tuple[int, ...] = ()
    no_rising: tuple[int, ...] = ()
    """The level gets up only after a long time high."""
    no_falling: tuple[int, ...] = ()
    """The level gets down only after a long time low."""
    stuck_high: tuple[int, ...] = ()
    stuck_low: tuple[int, ...] = ()
    interrupt_open: bool = False
    """The stimulus does not reach the target."""
    capture_open: bool = False
    """The answer does not reach the microcontroller."""
    capture_delay_ps: int = 0
    """The answer reaches the microcontroller this much late."""
    capture_rising_later_ps: int = 0
    """Rising answers, this much later still."""
    analyzer_rate_hz: int = 0
    """The analyzer's sample rate, whatever it was set to; 0: as set."""

    @property
    def capture_is_late(self) -> bool:
        """The answer does not reach the microcontroller at once."""
        return bool(self.capture_delay_ps or self.capture_rising_later_ps)

    @property
    def at_analyzer(self) -> bool:
        """The analyzer does not see what is driven."""
        return bool(self.swap or self.short or any(getattr(self, name) for name in _LISTS))


def parse_wiring(table: TomlTable) -> WiringFaults:
    """The table, or no faults if it is not there. Raises InputError."""
    table.allow_only(
        (
            "swap", "short", *_LISTS, "interrupt_open", "capture_open", "capture_delay",
            "capture_rising_later",
            "analyzer_rate",
        )
    )  # fmt: skip
    rate_hz = 0
    if "analyzer_rate" in table:
        rate_hz = table.quantity(RATE, "analyzer_rate", RATE_MIN_HZ, RATE_MAX_HZ)
    return WiringFaults(
        swap=_channels(table, "swap", pair=True),
        short=_channels(table, "short", pair=True),
        interrupt_open=table.flag("interrupt_open"),
        capture_open=table.flag("capture_open"),
        capture_delay_ps=table.time_ps("capture_delay", 0, DELAY_MAX_PS, 0),
        capture_rising_later_ps=table.time_ps("capture_rising_later", 0, DELAY_MAX_PS, 0),
        analyzer_rate_hz=rate_hz,
        **{name: _channels(table, name) for name in _LISTS},
    )


def _channels(table: TomlTable, key: str, *, pair: bool = False) -> tuple[int, ...]:
    if key not in table:
        return ()
    valid = _PAIR_VALID if pair else _LIST_VALID
    text = table.text(key, pattern=f"{_CHANNEL}( {_CHANNEL})*", valid=valid)
    found = tuple(int(word[1:]) for word in text.split())
    if len(set(found)) != len(found) or (pair and len(found) != 2):
        raise table.error(key, "not such channels", valid)
    if max(found) >= CHANNELS_MAX:
        raise table.error(key, f"D{max(found)} is beyond the virtual analyzer", "D0 to D13")
    return found
