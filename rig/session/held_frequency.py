# SPDX-License-Identifier: GPL-3.0-or-later
"""The processor's frequency during a run, if the plan has it held."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

from rig.config.plan_agent import HIGHEST, LOWEST, AgentPlan
from rig.errors import BenchError, RefusedError, RigError
from rig.instruments import OFF_PERMILLE
from rig.target.frequency import CpuState, can_adjust, read_state


@runtime_checkable
class _Adjustable(Protocol):
    greeting: Mapping[str, str]

    def frequency(self, words: str) -> Mapping[str, str]:
        """Send `STATE cpu=N`, `HOLD cpu=N khz=F` or `RELEASE`; return the agent's reply."""


class FrequencyHold:
    """A processor of the target at one frequency, or none."""

    def __init__(self, target: _Adjustable | None = None) -> None:
        self._target = target
        self.told: dict[str, str] = {}
        """The agent's account of it, for the run file."""

    def hold(self, cpu: int, khz: int) -> None:
        """Hold it, and see that it runs at that. Raises RefusedError, BenchError."""
        if self._target is None:
            return
        self.told = dict(self._target.frequency(f"HOLD cpu={cpu} khz={khz}"))
        state = read_state(self._target, cpu)
        now_khz = state.current_khz
        if now_khz is not None and abs(now_khz - khz) * 1000 > khz * OFF_PERMILLE:
            raise BenchError(
                f"processor {cpu} is held at {khz} kHz and runs at {now_khz} kHz; see what else "
                "sets its frequency there: turbo, the firmware's limits, or heat"
            )

    def give_back(self, failed: Callable[[RigError], None]) -> None:
        """Let it be as before; `failed` gets what goes wrong."""
        target, self._target = self._target, None
        if target is None:
            return
        try:
            target.frequency("RELEASE")
        except RigError as error:
            failed(error)


@contextmanager
def frequency_hold(target: object, plan: AgentPlan, *, is_replay: bool) -> Iterator[FrequencyHold]:
    """Hold what the plan asks for; it is given back on every path.

    Raises RefusedError if the target cannot, and BenchError.
    """
    if not plan.frequency or is_replay:
        yield FrequencyHold()
        return
    cpu = plan.cpu or 0
    if not isinstance(target, _Adjustable) or not can_adjust(target):
        raise RefusedError("the target's agent holds no frequency; leave frequency out of [agent]")
    held = FrequencyHold(target)
    try:
        held.hold(cpu, _wanted_khz(plan.frequency, read_state(target, cpu)))
        yield held
    finally:
        held.give_back(lambda _error: None)


def _wanted_khz(wanted: str | int, state: CpuState) -> int:
    if isinstance(wanted, int):
        return wanted
    return state.near({LOWEST: state.minimum_khz, HIGHEST: state.maximum_khz}[wanted])
