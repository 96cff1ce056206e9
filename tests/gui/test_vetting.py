# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of strangers are looked at by a helper, which may die of them; the window does not fork."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from gui.models.runs import vetting
from gui.models.runs.vetting import end_helpers, vet_in_subprocess
from rig.errors import InputError
from rig.record.vetting import vet
from tests.gui.results_runs import GOOD


def helpers() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children()
        if "gui.models.runs.vetting" in " ".join(child.cmdline())
    ]


@pytest.fixture(autouse=True)
def none_left():
    end_helpers()
    yield
    end_helpers()
    assert helpers() == []


@pytest.mark.slow
def test_the_words_are_those_of_the_command_line(measured_runs, tmp_path, monkeypatch):
    """Also for a path from here, and from several threads; no fork of the window itself."""
    good, bad = measured_runs / GOOD, tmp_path / "bad.h5"
    bad.write_bytes(good.read_bytes()[: good.stat().st_size // 2])
    with pytest.raises(InputError) as told:
        vet(bad)
    monkeypatch.setattr(os, "fork", None)
    monkeypatch.chdir(measured_runs)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(vet_in_subprocess, [good, good.relative_to(measured_runs)] * 3))
        for future in [pool.submit(vet_in_subprocess, bad) for _ in range(3)]:
            with pytest.raises(InputError) as here:
                future.result()
            assert str(here.value) == str(told.value)
    assert 1 <= len(helpers()) <= vetting.IDLE_MAX


def test_a_helper_that_was_ended_is_replaced(measured_runs):
    good = measured_runs / GOOD
    vet_in_subprocess(good)
    (helper,) = helpers()
    helper.kill()
    while helper.is_running() and helper.status() != psutil.STATUS_ZOMBIE:
        pass
    vet_in_subprocess(good)
    assert helpers() != [helper]


def test_a_helper_that_dies_is_told(measured_runs, monkeypatch):
    monkeypatch.setattr(vetting, "COMMAND", [sys.executable, "-c", "pass"])
    with pytest.raises(InputError, match=r"good\.h5: .*the process that looks at it has died"):
        vet_in_subprocess(measured_runs / GOOD)
