# SPDX-License-Identifier: GPL-3.0-or-later
"""A guest's port driver leaves the interrupt to a handler that needs it for itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rig.config.check import fitted
from rig.config.fixture import Fixture, load_fixture, parse_fixture
from rig.config.plan import Plan, load_plan
from rig.config.virtual.bench import VirtualGuest
from rig.resources import find_fixture


def plan_with(handler: str) -> Plan:
    plan = load_plan("interrupt")
    return replace(plan, agent=replace(plan.agent, handler=handler))


def guest_of(fixture: Fixture) -> VirtualGuest:
    assert fixture.virtual is not None
    assert isinstance(fixture.virtual.target, VirtualGuest)
    return fixture.virtual.target


@pytest.mark.parametrize("name", ["qemu-debian", "qemu-debian-rt"])
@pytest.mark.parametrize(
    ("handler", "driver_irq"), [("", True), ("parport", True), ("hard", False), ("default", False)]
)
def test_only_an_own_handler_takes_it(name: str, handler: str, driver_irq: bool) -> None:
    fixture = load_fixture(name)
    found = fitted(fixture, plan_with(handler))
    assert guest_of(found).driver_irq is driver_irq
    assert guest_of(found) == replace(guest_of(fixture), driver_irq=driver_irq)
    assert found.text == fixture.text


def test_a_task_needs_the_drivers() -> None:
    text = find_fixture("qemu-debian").read_text().replace('port = "kmod"', 'port = "ppdev"')
    assert guest_of(fitted(parse_fixture(text, "f"), plan_with("hard"))).driver_irq


@pytest.mark.parametrize("name", ["virtual", "parallel-port-fx2", "qemu-debian-arm64"])
def test_other_benches_stay_as_they_are(name: str) -> None:
    fixture = load_fixture(name)
    assert fitted(fixture, plan_with("hard")) is fixture
