# SPDX-License-Identifier: GPL-3.0-or-later
"""libsigrok's search in its own process: real drivers, one that hangs, one that crashes."""

from __future__ import annotations

import shutil
import socket
import subprocess

import psutil
import pytest

from rig.capture.scan import DRIVERS, Scanned, scan
from rig.capture.sigrok import driver_names
from rig.services.doctor import scan_finding


def test_what_a_driver_finds_is_what_sigrok_cli_finds():
    if shutil.which("sigrok-cli") is None:
        pytest.skip("sigrok-cli is the second opinion")
    told = subprocess.run(
        ["sigrok-cli", "-d", "demo", "--scan"], capture_output=True, text=True, check=True
    ).stdout
    (answer,) = scan(["demo"])
    assert answer.name in told
    assert answer.channels >= 8
    assert not answer.problem


def test_all_drivers_are_libsigroks_and_none_is_there_for_nothing():
    assert set(DRIVERS) <= set(driver_names())
    assert "ftdi-la" not in DRIVERS


def test_one_that_hangs_does_not_hide_the_others(monkeypatch):
    """A BeagleLogic that takes the connection and never answers."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # it would hide a line that is kept back
    with socket.create_server(("127.0.0.1", 0)) as server:
        silent = f"beaglelogic@tcp-raw/127.0.0.1/{server.getsockname()[1]}"
        answers = scan(["fx2lafw", silent, "demo"], limit_s=3)
    assert [answer.driver for answer in answers] == ["fx2lafw", silent, "demo"]
    assert answers[0] == Scanned("fx2lafw") or answers[0].name  # said before the hang
    assert answers[1] == Scanned(silent, problem="no answer within 3 s")
    assert answers[2].name
    children = psutil.Process().children(recursive=True)
    assert not [p for p in children if "rig.capture.scan" in " ".join(p.cmdline())]


def test_an_unknown_driver_is_told():
    (answer,) = scan(["fx3lafw"])
    assert "no driver named 'fx3lafw'" in answer.problem
    finding = scan_finding(answer)
    assert finding.state == answer.problem
    assert "unplug" in finding.mend
    assert not finding.driver


def test_what_answers_is_offered():
    finding = scan_finding(Scanned("fx2lafw", "Saleae Logic", 8))
    assert (finding.state, finding.mend, finding.driver) == (
        "Saleae Logic, 8 channels", "", "fx2lafw",
    )  # fmt: skip
