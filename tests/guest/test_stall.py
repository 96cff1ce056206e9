# SPDX-License-Identifier: GPL-3.0-or-later
"""Time that is taken from a guest: what a fixture may ask for, and a QEMU that cannot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rig.config.fixture import parse_fixture
from rig.config.virtual.bench import VirtualGuest
from rig.errors import BenchError, InputError
from rig.resources import find_fixture
from rig.virtual.guest.machine import Machine
from tests.guest.conftest import NO_IMAGE


def guest_of(*lines: str) -> VirtualGuest:
    text = find_fixture("qemu-debian").read_text(encoding="utf-8")
    more = "\n".join(["[virtual.guest]", *lines])
    virtual = parse_fixture(text.replace("[virtual.guest]", more), "f.toml").virtual
    assert virtual is not None
    assert isinstance(virtual.target, VirtualGuest)
    return virtual.target


def test_both_times_reach_the_guest():
    found = guest_of('stall_every = "50 ms"', 'stall = "400 us"')
    assert (found.stall_every_ps, found.stall_ps) == (50 * 10**9, 400 * 10**6)
    assert (guest_of().stall_every_ps, guest_of().stall_ps) == (0, 0)


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        (('stall_every = "50 ms"',), "stall"),
        (('stall = "50 us"',), "stall_every"),
        (('stall_every = "1 ms"', 'stall = "50 us"'), "2 ms"),
        (('stall_every = "50 ms"', 'stall = "401 us"'), "400 us"),
        (('stall_every = "50 ms"', 'stall = "1.5 us"'), "whole microseconds"),
        (("stall_every = 50", 'stall = "50 us"'), "stall_every"),
    ],
)
def test_what_cannot_be_is_one_clear_line(lines, part):
    with pytest.raises(InputError, match=part) as error:
        guest_of(*lines)
    assert str(error.value).startswith("f.toml:")


def test_a_qemu_with_another_clock_is_refused(
    plugin: Path, fake_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", str(fake_folder))
    monkeypatch.setenv("FAKE_SCRIPT", "")
    monkeypatch.setenv("FAKE_LOG", "/dev/null")
    image = replace(NO_IMAGE, stall_us=(50_000, 400))
    with pytest.raises(BenchError, match="does not show its clock; no time can be taken"):
        Machine.start(image, plugin).close()
