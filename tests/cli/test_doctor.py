# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig doctor` on USB analyzers: a made-up /sys, every known analyzer, every thing amiss."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rig.capture import sigrok
from rig.capture.usb_analyzers import (
    KNOWN,
    WITHOUT_DRIVER,
    Present,
    UsbAnalyzer,
    firmware_folders,
    missing_firmware,
    present,
)
from rig.services.doctor import UDEV_RULES, analyzer_finding
from tests.cli.command import rig


def plug(devices: Path, port: str, usb_id: str, bus: str = "1", number: str = "7") -> None:
    """A device as the kernel shows it."""
    vendor, product = usb_id.split(":")
    (devices / port).mkdir(parents=True)
    for name, text in (
        ("idVendor", vendor),
        ("idProduct", product),
        ("busnum", bus),
        ("devnum", number),
    ):
        (devices / port / name).write_text(text + "\n")


def provide(folder: Path, kind: UsbAnalyzer) -> list[Path]:
    """All its firmware in this folder."""
    folder.mkdir(exist_ok=True)
    for name in kind.firmware:
        (folder / name).touch()
    return [folder]


def test_known_analyzers_are_found_and_others_are_not(tmp_path: Path) -> None:
    devices = tmp_path / "devices"
    plug(devices, "1-2", "1d6b:0002")
    plug(devices, "1-3", "0925:3881", number="12")
    plug(devices, "1-4.1", "2a0e:0020", bus="3")
    plug(devices, "1-5", "21a9:1001", number="x")
    (devices / "1-3:1.0").mkdir()  # an interface: it has no ids
    found = list(present(devices, tmp_path / "bus"))
    assert [(p.place, p.kind.driver) for p in found] == [
        ("1-3", "fx2lafw"),
        ("1-4.1", "dreamsourcelab-dslogic"),
    ]
    assert [p.node for p in found] == [tmp_path / "bus/001/012", tmp_path / "bus/003/007"]
    assert list(present(tmp_path / "nowhere")) == []


@pytest.mark.parametrize("usb_id", KNOWN)
def test_findings(usb_id: str, tmp_path: Path) -> None:
    kind = KNOWN[usb_id]
    node = tmp_path / "node"
    analyzer = Present(kind, usb_id, "1-2", node)
    without = analyzer_finding(analyzer, [tmp_path])
    assert kind.firmware[0] in without.state + without.mend
    assert without.mend.startswith("apt-get install" if kind.is_packaged else "put ")
    folders = provide(tmp_path / "firmware", kind)
    closed = analyzer_finding(analyzer, folders)
    assert f"no permission for {node}" in closed.state
    assert "plugdev" in closed.mend
    node.touch()
    good = analyzer_finding(analyzer, folders)
    assert (good.mend, good.state) == ("", f"USB {usb_id} at 1-2: driver {kind.driver}")
    assert not any(finding.needed and finding.mend for finding in (without, closed, good))


def test_speed_and_hub_are_told(tmp_path: Path) -> None:
    devices = tmp_path / "devices"
    for port in ("3-2", "3-2.1", "3-2.4", "3-2.4.1", "3-5"):
        plug(devices, port, "08a9:0014" if port == "3-2.1" else "1d6b:0002")
    (devices / "3-2.1/speed").write_text("12\n")
    (devices / "3-2.4/product").write_text("Uno R3\n")
    (analyzer,) = present(devices, tmp_path)
    assert (analyzer.speed_mbit, analyzer.neighbors) == (12, ("Uno R3",))
    analyzer.node.parent.mkdir()
    analyzer.node.touch()
    found = analyzer_finding(analyzer, provide(tmp_path / "firmware", analyzer.kind))
    assert found.state.endswith("on a hub with Uno R3, at 12 Mbit/s only: samples will be lost")
    assert "another cable" in found.mend
    assert not found.needed


def test_analyzers_that_libsigrok_cannot_read_say_what_can(tmp_path: Path) -> None:
    plug(tmp_path, "1-2", "2a0e:0030")
    (analyzer,) = present(tmp_path)
    found = analyzer_finding(analyzer, [])
    assert found.state == "USB 2a0e:0030 at 1-2: libsigrok has no driver for it"
    assert "rig analyze CAPTURE.dsl" in found.mend
    assert not found.driver
    assert not set(KNOWN) & set(WITHOUT_DRIVER)


def test_each_missing_file_is_named(tmp_path: Path) -> None:
    kind = KNOWN["21a9:1001"]
    (tmp_path / kind.firmware[1]).touch()
    assert missing_firmware(kind, [tmp_path]) == [kind.firmware[0], kind.firmware[2]]


def test_firmware_is_looked_for_where_libsigrok_does() -> None:
    named = {"SIGROK_FIRMWARE_DIR": "/a", "XDG_DATA_HOME": "/b", "XDG_DATA_DIRS": "/c:/d"}
    expected = ["/a", "/b/sigrok-firmware", "/c/sigrok-firmware", "/d/sigrok-firmware"]
    assert list(map(str, firmware_folders(named)[:-1])) == expected
    assert list(map(str, firmware_folders({"HOME": "/home/me"}))) == [
        "/home/me/.local/share/sigrok-firmware",
        "/usr/local/share/sigrok-firmware",
        "/usr/share/sigrok-firmware",
    ]


def test_every_driver_is_one_of_libsigrok() -> None:
    assert {kind.driver for kind in KNOWN.values()} <= set(sigrok.driver_names())


def test_debians_rules_know_every_analyzer() -> None:
    (rules,) = [path for path in UDEV_RULES if path.is_file()]
    known = re.findall(r'idVendor}=="(\w{4})", ATTRS{idProduct}=="(\w{4})"', rules.read_text())
    assert {tuple(usb_id.split(":")) for usb_id in KNOWN} <= set(known)


def test_debians_package_has_the_firmware_that_it_is_named_for() -> None:
    packaged = [kind for kind in KNOWN.values() if kind.is_packaged]
    folders = [Path("/usr/share/sigrok-firmware")]
    assert [name for kind in packaged for name in missing_firmware(kind, folders)] == []


def test_the_command_tells_of_analyzers() -> None:
    ended = rig("doctor")
    assert ended.returncode == 0, ended.stdout
    assert re.search(r"analyzers? ", ended.stdout)
    assert "USB permissions (udev)" in ended.stdout
