# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of how far each clock of a bench may be off its declared rate, and where they are from.

A limit comes from the fixture, from a calibration, from the maker's data, or, if none of these has
one, from the kind of clock that such an instrument usually has. Only the first two are statements
about this very instrument; what the others leave open belongs into the uncertainty of the results.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

ANALYZER, STIMULUS, COUNTER, TIMER = (
    "analyzer", "stimulus", "target's counter", "target's timer",
)  # fmt: skip
"""The clocks of a bench, by the names that reports have for them."""
TOLERANCE_MAX_PPM = 10_000.0
"""Largest tolerance of a clock that a fixture can state."""


@dataclass(frozen=True)
class ClockLimit:
    """Two limits between which lies the error of one clock, true rate against declared rate."""

    low_ppm: float
    high_ppm: float
    source: str
    """Source of the limits, for the reader of a report."""
    is_stated: bool = False
    """The limits are stated by the fixture or a calibration of this very instrument."""

    def __post_init__(self) -> None:
        """Raises ValueError for what is no interval."""
        if not -1e6 < self.low_ppm <= self.high_ppm < 1e12:
            raise ValueError(f"{self.source}: limits are {self.low_ppm} to {self.high_ppm} ppm")

    @classmethod
    def within(cls, ppm: float, source: str, *, is_stated: bool = False) -> ClockLimit:
        """Return limits that are the same either way."""
        return cls(-ppm, ppm, source, is_stated)

    @property
    def half_width_ppm(self) -> float:
        """Half the distance of the limits."""
        return (self.high_ppm - self.low_ppm) / 2

    def narrowed(self, other: ClockLimit) -> ClockLimit:
        """Return limits within both; if they exclude each other, the other's: they are newer."""
        low, high = max(self.low_ppm, other.low_ppm), min(self.high_ppm, other.high_ppm)
        if low > high:
            return other
        return ClockLimit(low, high, f"{other.source}, {self.source}", is_stated=True)


CRYSTAL_CHANGE_PPM = 100.0
"""A crystal changes by no more than this with temperature and age after its calibration."""
RESONATOR_CHANGE_PPM = 3000.0
"""A ceramic resonator changes by no more than this, by makers' data."""
CRYSTAL_PPM = 200.0
"""A clock that may be farther off than this is taken for a resonator."""


@dataclass(frozen=True)
class CalibratedRate:
    """The rate of a clock by the analyzer's when both were calibrated."""

    clock: str
    ppm: float
    within_ppm: float
    """The rate was off by no more than this."""
    source: str

    def __post_init__(self) -> None:
        """Raises ValueError for what is no rate."""
        if not (-1e6 < self.ppm < 1e12 and 0 <= self.within_ppm < 1e6):
            raise ValueError(f"{self.source}: rate {self.ppm} +- {self.within_ppm} ppm")


_ANALYZER = ClockLimit.within(200, "default for an analyzer's crystal")
_STIMULUS = ClockLimit.within(5000, "default for a ceramic resonator")
_COUNTER = ClockLimit.within(500, "default for a processor's counter")
_TIMER = ClockLimit.within(1000, "default for a system's clock, which NTP may steer")


@dataclass(frozen=True)
class ClockLimits:
    """The limits of all clocks of a bench. The default is what is usual of the kind."""

    analyzer: ClockLimit = _ANALYZER
    stimulus: ClockLimit = _STIMULUS
    counter: ClockLimit = _COUNTER
    timer: ClockLimit = _TIMER
    calibrated: tuple[CalibratedRate, ...] = ()
    """Rates of clocks by this very analyzer's, at most one for each clock."""

    def of_changes(self) -> ClockLimits:
        """Return the limits of how far each clock may have changed since its calibration."""
        source = "change since calibration"
        resonator = self.stimulus.half_width_ppm > CRYSTAL_PPM
        stimulus_ppm = RESONATOR_CHANGE_PPM if resonator else CRYSTAL_CHANGE_PPM
        return ClockLimits(
            analyzer=ClockLimit.within(CRYSTAL_CHANGE_PPM, f"{source} of a crystal"),
            stimulus=ClockLimit.within(
                stimulus_ppm, f"{source} of a {'resonator' if resonator else 'crystal'}"
            ),
            counter=ClockLimit.within(CRYSTAL_CHANGE_PPM, f"{source} of a crystal"),
            timer=self.timer,
        )

    def by_name(self) -> dict[str, ClockLimit]:
        """Return the limits by the clocks' names above."""
        return {
            ANALYZER: self.analyzer,
            STIMULUS: self.stimulus,
            COUNTER: self.counter,
            TIMER: self.timer,
        }

    def with_counter_rate_from(self, source: str) -> ClockLimits:
        """Return the limits with the counter's for the source of its rate that the agent states."""
        known = COUNTER_RATES.get(source)
        if known is None or self.counter.is_stated:
            return self
        return replace(self, counter=known)


COUNTER_RATES = {
    "calibrated": ClockLimit.within(
        1000, "default for a counter's rate that the agent measured in 0.2 s"
    ),
    "cpuid": ClockLimit.within(1000, "default for a counter's rate that the processor tells"),
}
"""Limits of the counter by the agent's name of its rate's source; all others have the default."""
