# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings and report of a run file: the input is their JSON text, one behind the other."""

from __future__ import annotations

import json
from pathlib import Path

from rig.measurements.evaluate import evaluate
from rig.measurements.stored_settings import account_from_json, settings_from_json
from rig.record.reader import _object
from rig.session.results import evaluation_text
from tests.fuzz.refusal import refusal
from tests.fuzz.targets import pairing

_PATH = Path("run.h5")
_STREAM = pairing.decoded(bytes([0, 1, 2, 3, 1, 4, 0, 1]) + bytes([3, 0, 2, 1, 2, 0, 9, 1] * 20))


def one_input(data: bytes) -> None:
    """A zero byte parts the two texts."""
    texts = [part.decode(errors="replace") for part in data.partition(b"\0")[::2]]
    with refusal():
        settings = settings_from_json(_PATH, _object(_PATH, "settings", texts[0]))
        account = account_from_json(_PATH, _object(_PATH, "report", texts[1] or "{}"))
        raw = pairing._Raw([_STREAM.edges], _STREAM.log)
        evaluation = evaluate(raw, settings, account)
        json.loads(evaluation_text(evaluation))
