# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig doctor` on USB serial ports: a made-up /sys and /proc, everything that takes ports away."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.wizard.stages import board
from calibration.wizard.state import WizardState
from rig.errors import BenchError
from rig.services.serial_doctor import serial_findings, usb_findings
from rig.stimulus import usb_ports
from rig.stimulus.usb_ports import UsbSerial, usb_serials


def plug(sys: Path, place: str, usb_id: str, tty: str = "", latency_ms: str = "") -> None:
    """A device as the kernel shows it: ttyACM lies in a folder more than ttyUSB."""
    devices = sys / "bus/usb/devices"
    device = devices / place
    device.mkdir(parents=True)
    for name, word in zip(("idVendor", "idProduct"), usb_id.split(":"), strict=True):
        (device / name).write_text(word + "\n")
    interface = devices / f"{place}:1.0"
    folder = interface / "tty" / tty if tty.startswith("ttyACM") else interface / tty
    folder.mkdir(parents=True)
    if latency_ms:
        (folder / "latency_timer").write_text(latency_ms + "\n")


def test_serial_ports_on_usb(tmp_path: Path) -> None:
    plug(tmp_path, "1-1", "2341:0043", "ttyACM0")
    plug(tmp_path, "1-2.4", "0403:6001", "ttyUSB0", "16")
    plug(tmp_path, "1-3", "1a86:7523")
    plug(tmp_path, "1-4", "1d6b:0002")
    plug(tmp_path, "1-5", "2341:1002", "ttyACM1")
    assert list(usb_serials(tmp_path)) == [
        UsbSerial("2341:0043", "1-1", "/dev/ttyACM0", None),
        UsbSerial("0403:6001", "1-2.4", "/dev/ttyUSB0", 16),
        UsbSerial("1a86:7523", "1-3", "", None),
        UsbSerial("2341:1002", "1-5", "/dev/ttyACM1", None),
    ]
    assert list(usb_serials(tmp_path / "nowhere")) == []


def test_what_takes_ports_away_is_told_with_its_remedy(tmp_path: Path) -> None:
    plug(tmp_path / "sys", "1-1", "2341:0043", "ttyACM7")
    plug(tmp_path / "sys", "1-2", "0403:6001", "ttyUSB7", "16")
    plug(tmp_path / "sys", "1-3", "1a86:7523")
    plug(tmp_path / "sys", "1-4", "2341:0043")
    for number, name in enumerate(("systemd", "ModemManager")):
        (tmp_path / f"proc/{number}").mkdir(parents=True)
        (tmp_path / f"proc/{number}/comm").write_text(name + "\n")
    found = {each.what: each for each in serial_findings(tmp_path / "sys", tmp_path / "proc")}
    braille = found["USB 1a86:7523 at 1-3"]
    assert "without a serial port" in braille.state
    assert braille.mend.startswith("`dmesg` tells why; if it names brltty: apt-get remove brltty")
    assert "brltty" not in found["USB 2341:0043 at 1-4"].mend
    latency = found["USB 0403:6001 at 1-2"]
    assert "16 ms" in latency.state
    assert "/sys/bus/usb-serial/devices/ttyUSB7/latency_timer" in latency.mend
    manager = found["ModemManager"]
    rules = manager.mend.partition(": ")[2].split(" and ")  # one line with two vendors fits none
    assert rules == [
        f'ATTRS{{idVendor}}=="{vendor}", ENV{{ID_MM_DEVICE_IGNORE}}="1"'
        for vendor in ("0403", "2341")
    ]
    assert not any(each.needed and each.mend for each in found.values())


def test_brltty_that_runs_is_blamed_at_once() -> None:
    (found,) = usb_findings([UsbSerial("1a86:7523", "1-3", "", None)], ["brltty"])
    assert found.mend.startswith("apt-get remove brltty")


def test_nothing_amiss_is_nothing_told() -> None:
    good = UsbSerial("0403:6001", "1-1", "/dev/ttyUSB0", 1)
    assert list(usb_findings([good], ["systemd"])) == []
    assert list(usb_findings([], ["ModemManager"])) == []  # without a board it takes nothing


@pytest.mark.parametrize(
    ("there", "port", "problem"),
    [
        ([("2341:0043", "ttyACM3")], "/dev/ttyACM3", ""),
        ([("2341:0043", "ttyACM3"), ("2341:1002", "ttyACM4")], "/dev/ttyACM3", ""),
        ([("1d6b:0002", "")], "", "no serial port looks like"),
        ([("2341:0043", "ttyACM3"), ("1a86:7523", "ttyUSB0")], "", "several serial ports"),
    ],
)
def test_the_port_that_is_probably_the_stimulus(tmp_path, monkeypatch, there, port, problem):
    for number, (usb_id, tty) in enumerate(there):
        plug(tmp_path, f"1-{number + 1}", usb_id, tty)
    monkeypatch.setattr(usb_ports, "usb_serials", lambda: usb_serials(tmp_path))
    if problem:
        with pytest.raises(BenchError, match=problem):
            usb_ports.likely_port()
    else:
        assert usb_ports.likely_port() == port


def test_the_wizard_offers_the_port_that_is_there(monkeypatch) -> None:
    def offered() -> str:
        (asked,) = [
            each for each in board.questions(WizardState("b", "board")) if each.key == "port"
        ]
        return asked.default

    monkeypatch.setattr(board, "is_virtual", lambda _state: False)
    monkeypatch.setattr(usb_ports, "usb_serials", lambda: [])
    assert offered() == "/dev/ttyACM0"  # where an Uno's mostly is
    one = UsbSerial("1a86:7523", "1-1", "/dev/ttyUSB4", None)
    monkeypatch.setattr(usb_ports, "usb_serials", lambda: [one])
    assert offered() == "/dev/ttyUSB4"
