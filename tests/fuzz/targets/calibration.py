# SPDX-License-Identifier: GPL-3.0-or-later
"""Calibrations: the input is a TOML file, read by itself and as a run file's."""

from __future__ import annotations

from rig.config.calibration.file import calibration_text, load_calibration, parse_calibration
from rig.resources import find_fixture
from rig.session.calibration import calibration_in_use, fixture_of_texts
from tests.fuzz.refusal import file_of, refusal

_FIXTURE = find_fixture("virtual").read_text(encoding="utf-8")


def one_input(data: bytes) -> None:
    with file_of(data, ".toml") as path, refusal():
        found = load_calibration(path)
        assert parse_calibration(calibration_text(found), "again") == found
    text = data.decode("utf-8", "replace")
    texts = {"fixture": _FIXTURE}
    used = calibration_in_use(fixture_of_texts(texts), texts, text, "2026-01-02T03:04:05+00:00")
    assert set(used.summary.applied) <= {each.step for each in used.judged}
