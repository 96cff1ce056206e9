# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig gui` says in a line what it lacks, and opens a window otherwise."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gui import cli as gui
from rig.errors import BenchError
from tests.cli.command import RIG


def test_without_a_screen(monkeypatch, capsys):
    environment = {k: v for k, v in os.environ.items() if "DISPLAY" not in k and "QT_" not in k}
    ended = subprocess.run(
        [*RIG, "gui"], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 3
    assert len(ended.stderr.splitlines()) == 1
    assert "no screen: neither DISPLAY nor WAYLAND_DISPLAY is set" in ended.stderr


def test_without_qt(monkeypatch):
    monkeypatch.setattr(gui, "PACKAGES", ("PySide6", "no_such_package"))
    with pytest.raises(BenchError, match=r"needs no_such_package; pip install 'latency-rig\[gui\]"):
        gui.command(None)


def test_it_opens_and_a_signal_closes_it(tmp_path):
    """SIGTERM, as a session manager sends it; Ctrl-C goes the same way."""
    ini = tmp_path / "config" / "latency-rig" / "latency-rig.ini"
    process = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", *RIG[1:], "gui", "--folder", tmp_path / "runs"],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": tmp_path / "config"},
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        # Its settings are written when the window closes, or some time after it has opened.
        for _ in range(100):
            process.send_signal(0)
            try:
                process.wait(0.3)
            except subprocess.TimeoutExpired:
                if _handles_terminate(process.pid):
                    break
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert str(tmp_path / "runs") in ini.read_text()


def _handles_terminate(pid: int) -> bool:
    """The process has taken SIGTERM into its own hands, as the kernel tells."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    (mask,) = [line.split()[1] for line in lines if line.startswith("SigCgt")]
    return bool(int(mask, 16) >> (signal.SIGTERM - 1) & 1)
