# SPDX-License-Identifier: GPL-3.0-or-later
"""The check whether a plan can be carried out on a fixture, before any instrument is touched, and
what of the fixture depends on the plan."""

from __future__ import annotations

import re
from dataclasses import replace

from rig.config.fixture import RESPONSE, STIMULUS, Fixture
from rig.config.plan import Plan
from rig.config.virtual.bench import VirtualGuest
from rig.errors import InputError
from rig.measurements.planned_events import PlannedEvents, PlanValueError
from rig.measurements.registry import MEASUREMENTS
from rig.stimulus.chip import StimulusChip
from rig.stimulus.train import PATTERNS, Train
from rig.toml.reader import TomlFile, TomlPath
from rig.toml.units import RATE, TIME, ticks_to_ps

_SIGNALS = (STIMULUS, RESPONSE)
"""The signals that every measurement must see."""

_COMMON_KEYS = {"delay_ticks": "delay", "width_ticks": "pulse_width"}
"""The key of the plan behind each field of Train that all patterns have."""

OWN_HANDLERS = ("hard", "default")
"""The kernel module's own handlers: they need an interrupt that no driver holds."""
MODULE_PORT = "kmod"


def check(plan: Plan, fixture: Fixture) -> None:
    """Raise InputError, naming file, line and key, if the fixture cannot do what the plan asks."""
    _check_wires(plan, fixture)
    _check_trigger(plan, fixture)
    _check_resolution(plan, fixture)
    chip = fixture.stimulus.chip
    train = _train(plan, chip)
    if not MEASUREMENTS[plan.measurement].has_events:
        return
    if plan.own_events is not None:
        _check_own(plan, fixture, plan.own_events)
        return
    if train is None:
        _check_visible(plan, fixture, plan.agent.period_ps, ("agent", "period"))
        return
    shortest_ticks = min(train.width_ticks, train.shortest_interval_ticks - train.width_ticks)
    shortest_ps = ticks_to_ps(shortest_ticks, chip.clock_hz)
    _check_visible(plan, fixture, shortest_ps, ("stimulus", "pulse_width"))


def _check_own(plan: Plan, fixture: Fixture, events: PlannedEvents) -> None:
    chip = fixture.stimulus.chip
    try:
        events.check(chip, plan.response.timeout_ps)
        shortest_ps = events.shortest_level_ps(chip)
    except PlanValueError as error:
        raise _error(plan, error.path, error.problem, error.valid) from None
    except ValueError as error:
        raise _train_error(plan, str(error), chip.clock_hz, events.table) from None
    _check_visible(plan, fixture, shortest_ps, (events.table, "pulse_width"))


def _check_wires(plan: Plan, fixture: Fixture) -> None:
    for signal in _SIGNALS:
        if not fixture.has_signal(signal):
            problem = f"no wire carries {signal}, which plan {plan.name} needs"
            valid = f'a [[wire]] with signal = "{signal}"'
            document = TomlFile(fixture.text, fixture.source)
            raise document.error(("wire", 0, "signal"), problem, valid)
    wired = len(fixture.sequence_channels)
    asked = plan.response.sequence_bits
    if asked > wired:
        problem = f"{asked} asked, but fixture {fixture.name} wires {wired}"
        raise _error(plan, ("response", "sequence_bits"), problem, f"at most {wired}")


def _check_trigger(plan: Plan, fixture: Fixture) -> None:
    """Check that a virtual bench wires the trigger pin; of hardware that is not known."""
    if not plan.agent.self_trigger or fixture.virtual is None:
        return
    target = fixture.virtual.target
    if isinstance(target, VirtualGuest) and target.self_trigger:
        return
    problem = f"fixture {fixture.name} wires no trigger pin to the interrupt line"
    valid = "a fixture with self_trigger = true in [virtual.guest], such as qemu-debian"
    raise _error(plan, ("agent", "self_trigger"), problem, valid)


def _check_resolution(plan: Plan, fixture: Fixture) -> None:
    sample_ps = _sample_ps(fixture)
    asked_ps = plan.capture.resolution_ps
    if sample_ps > asked_ps:
        rate = RATE.format(fixture.analyzer.sample_rate_hz)
        problem = (
            f"{TIME.format(asked_ps)} asked, but fixture {fixture.name} samples at {rate}, "
            f"every {TIME.format(sample_ps)}"
        )
        needed = RATE.format(-(-(10**12) // asked_ps))
        valid = f"{TIME.format(sample_ps)} or more, or a sample_rate of {needed} or more"
        raise _error(plan, ("capture", "resolution"), problem, valid)


def _check_visible(plan: Plan, fixture: Fixture, shortest_ps: int, source: TomlPath) -> None:
    """Check that pulses and the rests between them outlast two samples and the glitch filter.

    `source` is the key to blame if they do not outlast the samples.

    Half of the shortest is the bound, so that neither clock errors nor the place of a pulse
    between two samples can decide whether it is seen.
    """
    sample_ps = _sample_ps(fixture)
    if shortest_ps < 2 * sample_ps:
        problem = f"the shortest pulse or rest, {TIME.format(shortest_ps)}, is under two samples"
        valid = f"{TIME.format(2 * sample_ps)} or more, or a higher sample_rate"
        raise _error(plan, source, problem, valid)
    filter_ps = plan.capture.glitch_filter_ps
    low, high = TIME.format(sample_ps + 1), TIME.format(shortest_ps // 2)
    valid = f'"0 ns" for none, or {low} to {high}'
    path = ("capture", "glitch_filter")
    if 0 < filter_ps <= sample_ps:
        problem = f"{TIME.format(filter_ps)} is no more than one sample and removes nothing"
        raise _error(plan, path, problem, valid)
    if 2 * filter_ps > shortest_ps:
        problem = (
            f"{TIME.format(filter_ps)} may remove stimulus edges: the shortest pulse or rest is "
            f"{TIME.format(shortest_ps)}"
        )
        raise _error(plan, path, problem, valid)


def _train(plan: Plan, chip: StimulusChip) -> Train | None:
    try:
        return plan.train(chip)
    except ValueError as error:
        raise _train_error(plan, str(error), chip.clock_hz) from None


def _train_error(plan: Plan, message: str, clock_hz: int, table: str = "stimulus") -> InputError:
    """Return Train's error, `FIELD [is] VALUE ...; valid: ...`, with times in place of ticks."""
    field, _, words = message.partition(" ")
    times = re.sub(
        r"\b([0-9]+)\b(?! pulses)(?: ticks)?",
        lambda match: TIME.format(ticks_to_ps(int(match[1]), clock_hz)),
        words,
    )
    problem, _, valid = times.partition("; valid: ")
    if problem.startswith("is "):
        problem = f"{problem[3:]} is out of the firmware's range"
    return _error(plan, (table, _plan_key(plan, field)), problem, valid)


def _plan_key(plan: Plan, field: str) -> str:
    """The key of the plan behind a field of Train."""
    own = {} if plan.stimulus is None else {
        each.field: each.key for each in PATTERNS[plan.stimulus.pattern].parameters
    }  # fmt: skip
    return (_COMMON_KEYS | own).get(field, field)


def _sample_ps(fixture: Fixture) -> int:
    """Time between two samples, rounded up to whole picoseconds."""
    return ticks_to_ps(1, fixture.analyzer.sample_rate_hz)


def _error(plan: Plan, path: TomlPath, problem: str, valid: str) -> InputError:
    return TomlFile(plan.text, plan.source).error(path, problem, valid)


def fitted(fixture: Fixture, plan: Plan) -> Fixture:
    """Return the fixture for this plan: a guest's port driver leaves interrupts others need.

    On a real target whoever loads its modules does that (docs/reference/plans.md).
    """
    virtual = fixture.virtual
    if plan.agent.handler not in OWN_HANDLERS or virtual is None:
        return fixture
    guest = virtual.target
    if not isinstance(guest, VirtualGuest) or guest.port != MODULE_PORT:
        return fixture
    return replace(fixture, virtual=replace(virtual, target=replace(guest, driver_irq=False)))
