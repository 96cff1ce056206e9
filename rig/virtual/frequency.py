# SPDX-License-Identifier: GPL-3.0-or-later
"""The modelled target's processor at several frequencies, and what its counter does then."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from rig.config.virtual.processor import CpuFrequency
from rig.target.protocol import ProtocolError, fields, number
from rig.virtual.clock import PPB

NEEDS = "FREQUENCY needs STATE cpu=N, HOLD cpu=N khz=F, or RELEASE"


def counter_factor(settings: CpuFrequency, khz: int) -> Fraction:
    """Return the ratio of the counter's rate to that at the highest frequency."""
    span = settings.maximum_khz - settings.minimum_khz
    down = Fraction(settings.maximum_khz - khz, span) if span else Fraction(0)
    factor = 1 + down * Fraction(settings.counter_error_ppb, PPB)
    return factor * Fraction(khz, settings.maximum_khz) if settings.counter_follows else factor


class FrequencyControl:
    """Answers FREQUENCY as targets/PROTOCOL.md describes it; all cores have one frequency."""

    def __init__(
        self, settings: CpuFrequency, cores: int, set_rate: Callable[[Fraction], None]
    ) -> None:
        """`set_rate` gets the ratio of the counter's rate from now on to that at first."""
        self._settings, self._cores, self._set_rate = settings, cores, set_rate
        self.held_khz = 0
        """0: nothing is held."""

    def answer(self, words: str) -> str:
        """Return the reply's text behind OK. Raises ValueError for what is refused."""
        verb, _, rest = words.strip().partition(" ")
        if verb == "RELEASE" and not rest:
            self.release()
            return ""
        pairs = fields(rest)
        needed = {"STATE": {"cpu"}, "HOLD": {"cpu", "khz"}}.get(verb)
        if needed is None or set(pairs) != needed:
            raise ProtocolError(NEEDS)
        cpu = number(pairs, "cpu")
        if cpu >= self._cores or self._settings.control == "none":
            raise ProtocolError(f"cpu {cpu} has no cpufreq: this kernel does not set its frequency")
        if verb == "HOLD":
            self._hold(cpu, number(pairs, "khz"))
        return self._state(cpu)

    @property
    def course(self) -> str:
        """The words of STOP of a frequency that changes: from the highest, or the held one, on."""
        settings = self._settings
        if not settings.changes or settings.control == "none":
            return ""
        first_khz = self.held_khz or settings.maximum_khz
        last_khz = settings.minimum_khz if settings.changes % 2 else first_khz
        return (
            f" frequency_cpu=0 frequency_first_khz={first_khz} frequency_last_khz={last_khz} "
            f"frequency_changes={settings.changes}"
        )

    def release(self) -> None:
        """Let the frequency be as it was, if one is held."""
        if self.held_khz:
            self._set_rate(Fraction(1))
        self.held_khz = 0

    def _hold(self, cpu: int, khz: int) -> None:
        settings = self._settings
        if settings.control == "refused":
            raise ProtocolError(f"cpu {cpu}'s frequency may not be set; start the agent as root")
        if not settings.minimum_khz <= khz <= settings.maximum_khz:
            span = f"{settings.minimum_khz} to {settings.maximum_khz}"
            raise ProtocolError(f"khz must be from {span}")
        self._set_rate(counter_factor(settings, khz))
        self.held_khz = khz

    def _state(self, cpu: int) -> str:
        settings = self._settings
        current_khz = self.held_khz or settings.maximum_khz
        return (
            f" cpu={cpu} minimum_khz={settings.minimum_khz} maximum_khz={settings.maximum_khz} "
            f"held_khz={self.held_khz} current_khz={current_khz} governor=performance"
        )
