# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of libsigrok's drivers that they do not tell themselves, from their source (0.5.2).

src/hardware/NAME/protocol.c and api.c: how many transfers a driver keeps submitted, what it does
when samples are lost, which rates go with how many channels.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final

from rig.errors import BenchError


@dataclass(frozen=True)
class DriverTraits:
    """One driver's."""

    held_limit_ns: int = 250_000_000
    """The longest that it may have to wait for this computer without loss."""
    end_unasked: str = "check the analyzer's cable and power"
    """What an end of its captures that nobody asked for may mean."""
    highest_rate_hz: Callable[[int], int | None] = lambda _channel_mask: None
    """The highest rate with these channels; None: the driver's own list of rates says all."""
    one_capture_per_worker: bool = False
    """It cannot capture twice: what is left of a capture would be mixed into the next one."""


def _fx2_rate_hz(channel_mask: int) -> int:
    return 24_000_000 if channel_mask < 1 << 8 else 12_000_000


def _shared(total_hz: int) -> Callable[[int], int]:
    """The channels in use share one rate."""
    return lambda channel_mask: total_hz // channel_mask.bit_count()


_ON_USB: Final = (
    "the driver does not say why; the analyzer's buffer may have overflowed, as this computer or a "
    "slow or shared USB hub did not fetch the samples in time, or its cable or power failed: give "
    "it a high-speed port of its own, or a lower sample_rate"
)
_UNKNOWN: Final = DriverTraits()
_TRAITS: Final[Mapping[str, DriverTraits]] = {
    # 32 transfers of 10 ms
    "fx2lafw": DriverTraits(end_unasked=_ON_USB, highest_rate_hz=_fx2_rate_hz),
    # 100 ms of transfers; the driver takes more than USB 2.0 carries, some 40 MB/s
    "dreamsourcelab-dslogic": DriverTraits(
        held_limit_ns=80_000_000, end_unasked=_ON_USB, highest_rate_hz=_shared(320_000_000)
    ),
    # 32 transfers of 10 ms; the driver refuses more
    "saleae-logic16": DriverTraits(end_unasked=_ON_USB, highest_rate_hz=_shared(300_000_000)),
    # 8 MiB of transfers, 84 ms with 16 channels; at the end of a capture they stay submitted
    "saleae-logic-pro": DriverTraits(
        held_limit_ns=80_000_000, end_unasked=_ON_USB, one_capture_per_worker=True
    ),
}


def traits_of(driver: str) -> DriverTraits:
    """Return what is known of a driver, or the usual."""
    return _TRAITS.get(driver, _UNKNOWN)


def refuse_too_fast(driver: str, rate_hz: int, channel_mask: int) -> None:
    """Raise BenchError if it cannot carry these channels at this rate."""
    highest_hz = traits_of(driver).highest_rate_hz(channel_mask) if channel_mask else None
    if highest_hz is not None and rate_hz > highest_hz:
        raise BenchError(
            f"{driver}: {rate_hz / 1e6:g} MHz is too fast with channels "
            f"{_listed(channel_mask)} in use; give the fixture a sample_rate of "
            f"{highest_hz / 1e6:g} MHz or less, or fewer channels"
        )


def widest_mask(driver: str, rate_hz: int, needed_mask: int, channels: int) -> int:
    """Return the needed channels, and of the others, from D0 up, as many as go with this rate."""
    highest_rate_hz = traits_of(driver).highest_rate_hz
    mask = needed_mask & (1 << channels) - 1
    for bit in range(channels):
        highest_hz = highest_rate_hz(mask | 1 << bit)
        if highest_hz is None or rate_hz <= highest_hz:
            mask |= 1 << bit
    return mask


def rate_with_channels(
    driver: str, rate_hz: int, channels: int, offered_hz: Collection[int] = ()
) -> int:
    """Return the highest rate up to this one at which so many channels can be in use.

    `offered_hz`: the rates that the driver has; none: any.
    """
    highest_hz = traits_of(driver).highest_rate_hz((1 << channels) - 1)
    if highest_hz is None or rate_hz <= highest_hz:
        return rate_hz
    return max((rate for rate in offered_hz if rate <= highest_hz), default=highest_hz)


def _listed(channel_mask: int) -> str:
    """Return channels as people write them, such as "D0 to D7"."""
    numbers = [bit for bit in range(channel_mask.bit_length()) if channel_mask >> bit & 1]
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"D{numbers[0]} to D{numbers[-1]}"
    return ", ".join(f"D{number}" for number in numbers)
