# SPDX-License-Identifier: GPL-3.0-or-later
"""The wiring check on real kernels: the agent's own ports drive the pins."""

from __future__ import annotations

import shutil
from functools import partial

import pytest

from calibration.runner import chosen, run_steps
from rig.bench.open import open_bench
from rig.config.fixture import load_fixture, parse_fixture
from rig.virtual.guest.agent import COMPILERS

needs_arm64 = pytest.mark.skipif(
    not (shutil.which("qemu-system-aarch64") and shutil.which(COMPILERS["arm64"][0])),
    reason="needs qemu-system-arm and a compiler for arm64",
)
FAULTS = '\n[virtual.wiring]\nswap = "D1 D3"\nopen = "D4"\n'


@pytest.mark.guest
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("name", "port"),
    [
        ("qemu-debian", "kmod"),
        ("qemu-debian-rt", "ioport"),
        pytest.param("qemu-debian-arm64", "gpio", marks=needs_arm64),
    ],
)
@pytest.mark.slow
def test_a_kernels_pins_are_driven_one_by_one(name, port):
    text = load_fixture(name).text.replace('port = "kmod"', f'port = "{port}"')
    assert f'port = "{port}"' in text or port == "gpio"
    fixture = parse_fixture(text + FAULTS, name)
    opener = partial(open_bench, every_channel=True)
    (outcome,) = run_steps(fixture, chosen(["wiring"]), opener)
    faults = [(each.kind, set(each.signals)) for each in outcome.findings if each.fault]
    assert faults == [("swapped", {"response", "sequence1"}), ("open", {"sequence2"})]
