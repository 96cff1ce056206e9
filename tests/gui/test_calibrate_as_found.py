# SPDX-License-Identifier: GPL-3.0-or-later
"""The window's wizard asks whether to take the wiring as found, and writes the fixture."""

from __future__ import annotations

import pytest

from calibration.wizard import Wizard, detected_wiring
from calibration.wizard.paths import place_of
from rig.config.fixture import load_fixture
from tests.gui.test_calibrate_wizard import home, open_wizard, page

__all__ = ["home", "page"]


@pytest.fixture
def swapped(home):
    """A wizard whose wires were gone through; two were found exchanged."""
    wizard = Wizard.begun(place_of("lab"), "lab")
    wizard.give("bench", "virtual")
    wizard.forward()
    wizard.go_to("connect")
    places = ["stimulus=D0", "response=D2", "sequence0=D1", "sequence1=D3", "sequence2=D4"]
    detected_wiring.write(wizard.place.as_found, places)
    wizard.connected(("response arrives elsewhere",))
    wizard.forward()
    return wizard


@pytest.mark.parametrize(("answer", "channel"), [("as-found", 2), ("mend", 1)])
def test_the_page_after_the_wires_asks_and_the_fixture_follows(page, swapped, answer, channel):
    dialog = open_wizard(page, "lab")
    front = dialog.page_in_front
    assert front.stage.name == "calibrate"
    assert "All wires are sound" in front.text.text()
    assert front.form.answer_of("wires") == "as-found"
    front.form.set_answer("wires", answer)
    assert front.form.keep()
    dialog.wizard_state.check()
    fixture = load_fixture(str(swapped.place.fixture))
    assert fixture.channel_of("response") == channel
