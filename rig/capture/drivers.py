# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of libsigrok's drivers that they do not tell themselves, from their source (0.5.2).

src/hardware/NAME/protocol.c: how many transfers a driver keeps submitted, and what it does when
samples are lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class DriverTraits:
    """One driver's."""

    held_limit_ns: int = 250_000_000
    """The longest that it may have to wait for this computer without loss."""
    end_unasked: str = "check the analyzer's cable and power"
    """What an end of its captures that nobody asked for may mean."""


_UNKNOWN: Final = DriverTraits()
_TRAITS: Final[Mapping[str, DriverTraits]] = {
    # 32 transfers of 10 ms
    "fx2lafw": DriverTraits(
        end_unasked="an FX2 does not say why: its buffer may have overflowed, as this computer or "
        "a slow or shared USB hub did not fetch the samples in time, or its cable or power failed; "
        "give it a high-speed port of its own, or a lower sample_rate"
    ),
}


def traits_of(driver: str) -> DriverTraits:
    """Return what is known of a driver, or the usual."""
    return _TRAITS.get(driver, _UNKNOWN)
