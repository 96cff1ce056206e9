# SPDX-License-Identifier: GPL-3.0-or-later
"""The window's tests draw without a screen and leave the user's settings alone."""

from __future__ import annotations

import os

import pytest
from PySide6.QtCore import QSettings

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_API"] = "pyside6"
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"
os.environ.pop("QT_SCALE_FACTOR", None)


@pytest.fixture(autouse=True)
def settings(tmp_path):
    """The settings of this test, in a file that goes with it."""
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(
        QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "settings")
    )
    return QSettings(
        QSettings.Format.IniFormat, QSettings.Scope.UserScope, "latency-rig", "latency-rig"
    )


@pytest.fixture(scope="module", autouse=True)
def no_helper_stays():
    """What vets files for the window ends with the window's tests: others count processes."""
    yield
    from gui.models.runs.vetting import end_helpers  # not before Qt's settings above

    end_helpers()


@pytest.fixture(scope="session")
def measured_runs(tmp_path_factory):
    """A folder with two runs of the virtual bench; copy it before changing anything in it."""
    from tests.gui.results_runs import measure  # takes seconds: only for tests that need it

    folder = tmp_path_factory.mktemp("runs")
    measure(folder)
    return folder
