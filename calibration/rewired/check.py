# SPDX-License-Identifier: GPL-3.0-or-later
"""The check that the wires are as a step needs them, before anything is measured with them."""

from __future__ import annotations

from collections.abc import Iterator

from calibration.context import Progress, StepContext
from calibration.findings import Finding
from calibration.rewired import finding_texts
from calibration.rewired.rewired import Rewired
from calibration.wiring.drive import observe
from calibration.wiring.finding_texts import lost
from calibration.wiring.judge import Arrival, arrivals
from calibration.wiring.observed import Driven, Observed
from rig.config.fixture import RESPONSE, STIMULUS, Fixture


def check_rewired(
    context: StepContext, rewired: Rewired, progress: Progress
) -> tuple[Finding, ...]:
    """Drive the stimulus and those pins of the target that must be off; nothing is recorded.

    Empty if all is as it should be. Raises BenchError, StoppedError.
    """
    observed = observe(context, progress, rewired.off)
    return findings(context.fixture, rewired, observed)


def findings(fixture: Fixture, rewired: Rewired, observed: Observed) -> tuple[Finding, ...]:
    """Return findings for what is not connected as it should be. Pure."""
    found = (
        *_of_stimulus(fixture, rewired, observed),
        *_of_capture(fixture, rewired, observed),
        *_of_target(rewired, observed),
    )
    return (*found, *(lost(text) for text in observed.losses))


def _of_stimulus(fixture: Fixture, rewired: Rewired, observed: Observed) -> Iterator[Finding]:
    there = {each.channel: each for each in arrivals(observed)[STIMULUS]}
    pin = _pin(fixture, STIMULUS)
    for channel, signal in rewired.channels.items():
        arrival: Arrival | None = there.get(channel)
        if arrival is None:
            shown = sum(burst.edges for burst in observed.bursts.get(channel, ()))
            yield finding_texts.not_there(channel, signal, pin, shown)
        elif arrival.inverted:
            yield finding_texts.upside_down(channel, signal)


def _of_capture(fixture: Fixture, rewired: Rewired, observed: Observed) -> Iterator[Finding]:
    stimulus = _turn(observed, STIMULUS)
    if not rewired.capture or stimulus is None:
        return
    if stimulus.captured != 2 * stimulus.pulses:
        pins = _pin(fixture, STIMULUS), _pin(fixture, RESPONSE)
        yield finding_texts.capture_hears_not(*pins, stimulus.captured, 2 * stimulus.pulses)
    response = _turn(observed, RESPONSE)
    if response is not None and response.captured:
        yield finding_texts.capture_hears_target(_pin(fixture, RESPONSE))


def _of_target(rewired: Rewired, observed: Observed) -> Iterator[Finding]:
    where = arrivals(observed)
    for signal in rewired.off:
        for arrival in where.get(signal, ()):
            if arrival.channel in rewired.channels:
                yield finding_texts.still_on(signal, arrival.channel)


def _turn(observed: Observed, signal: str) -> Driven | None:
    return next((each for each in observed.driven if each.signal == signal), None)


def _pin(fixture: Fixture, signal: str) -> str:
    """Return the microcontroller's pin for a signal."""
    pins = {wire.signal: wire.stimulus_pin for wire in fixture.wires}
    return pins[signal] or ("stimulus pin" if signal == STIMULUS else "capture pin")
