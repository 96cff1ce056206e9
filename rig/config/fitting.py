# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a fixture depends on the plan that it is opened for."""

from __future__ import annotations

from dataclasses import replace

from rig.config.fixture import Fixture
from rig.config.plan import Plan
from rig.config.virtual import VirtualGuest

OWN_HANDLERS = ("hard", "default")
"""Handlers of the kernel module's own: they need an interrupt that no driver holds."""
MODULE_PORT = "kmod"


def fitted(fixture: Fixture, plan: Plan) -> Fixture:
    """The fixture for this plan: a guest's port driver takes no interrupt that another is to have.

    On a real target whoever loads its modules does that (docs/plans.md).
    """
    virtual = fixture.virtual
    if plan.agent.handler not in OWN_HANDLERS or virtual is None:
        return fixture
    guest = virtual.target
    if not isinstance(guest, VirtualGuest) or guest.port != MODULE_PORT:
        return fixture
    return replace(fixture, virtual=replace(virtual, target=replace(guest, driver_irq=False)))
