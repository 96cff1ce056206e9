# SPDX-License-Identifier: GPL-3.0-or-later
"""Built-in files are found in a checkout and in a wheel's layout, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from rig import resources
from rig.errors import InputError
from tests.chip import CHIP

FIRMWARE = f"stimulus-{CHIP.name}.hex"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place that the package believes to be installed in."""
    package = tmp_path / "rig"
    package.mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", package)
    monkeypatch.setattr(resources, "_CHECKOUT", tmp_path)
    return tmp_path


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_built_in_names() -> None:
    assert resources.plan_names() == (
        "clock-resolution",
        "interrupt",
        "interrupt-burst",
        "interrupt-dispatch",
        "interrupt-dispatch-hard",
        "interrupt-periodic",
        "interrupt-poisson",
        "interrupt-ramp",
        "interrupt-self",
        "interrupt-soak",
        "interrupt-to-task",
        "interrupt-to-task-with-tasks",
        "interrupt-with-tasks",
        "period",
        "period-search",
        "periodic-tasks",
        "periodic-tasks-deadline",
        "preemption",
        "preemption-timer",
        "priority-inversion",
        "saturation",
        "semaphore-shuffle",
        "services",
        "smi",
        "start-finish",
        "task-creation",
        "task-preemption",
        "task-switch",
        "timer",
        "wakeup",
    )
    assert resources.fixture_names() == (
        "beaglelogic-local",
        "beaglelogic-tcp",
        "dslogic",
        "parallel-port-fx2",
        "qemu-debian",
        "qemu-debian-arm64",
        "qemu-debian-arm64-rt",
        "qemu-debian-preempt",
        "qemu-debian-rt",
        "saleae-logic16",
        "saleae-logic2",
        "virtual",
        "virtual-fx2",
        "virtual-misbehaving",
    )
    assert resources.find_plan("interrupt").is_file()
    assert resources.find_fixture("virtual").is_file()


def test_an_unknown_name_lists_the_built_in_ones() -> None:
    with pytest.raises(InputError) as error:
        resources.find_fixture("virtaul")
    assert str(error.value) == (
        "virtaul: no built-in fixture (did you mean virtual?); valid: beaglelogic-local, "
        "beaglelogic-tcp, dslogic, parallel-port-fx2, qemu-debian, qemu-debian-arm64, "
        "qemu-debian-arm64-rt, qemu-debian-preempt, qemu-debian-rt, saleae-logic16, "
        "saleae-logic2, virtual, virtual-fx2, virtual-misbehaving, "
        "or a path with a slash or ending in .toml"
    )


@pytest.mark.parametrize("path", ["./interrupt", "mine.toml", "/tmp/x"])  # noqa: S108
def test_what_looks_like_a_path_is_one(path: str) -> None:
    assert resources.find_plan(path) == Path(path)


def test_a_wheel_carries_its_own_and_ignores_its_neighbors(tree: Path) -> None:
    put(tree / "fixtures" / "stranger.toml")
    put(tree / "firmware" / "build" / FIRMWARE)
    assert resources.fixture_names() == ()
    with pytest.raises(InputError, match="stimulus firmware not found"):
        resources.firmware_image(CHIP.name)
    mine = put(tree / "rig" / "data" / "fixtures" / "mine.toml")
    image = put(tree / "rig" / "data" / "firmware" / FIRMWARE)
    binary = put(tree / "rig" / "data" / "bin" / resources.EMULATOR_NAME)
    assert resources.find_fixture("mine") == mine
    assert resources.firmware_image(CHIP.name) == image
    assert resources.emulator_binary() == binary


def test_a_checkout_prefers_what_was_just_built(tree: Path) -> None:
    put(tree / "pyproject.toml")
    shipped = put(tree / "firmware" / "image" / FIRMWARE)
    assert resources.firmware_image(CHIP.name) == shipped
    built = put(tree / "firmware" / "build" / FIRMWARE)
    assert resources.firmware_image(CHIP.name) == built
    put(tree / "fixtures" / "bench.toml")
    assert resources.fixture_names() == ("bench",)


def test_a_missing_emulator_names_the_places_and_the_remedy(tree: Path) -> None:
    put(tree / "pyproject.toml")
    with pytest.raises(InputError) as error:
        resources.emulator_binary()
    assert str(error.value) == (
        f"emulator not found; looked for {tree}/rig/data/bin/rig-emulator, "
        f"{tree}/firmware/emulator/build/rig-emulator; run `make setup` in a checkout"
    )
