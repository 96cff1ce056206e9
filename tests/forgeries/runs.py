# SPDX-License-Identifier: GPL-3.0-or-later
"""One honest run of the virtual bench, and what becomes of forged copies of it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from rig.config.fixture import load_fixture
from rig.config.plan import load_plan
from rig.session.run import run
from tests.forgeries.catalog import Forgery, Keys
from tests.forgeries.forged import Forged, forged, outcome_of
from tests.lies.runs import Outcome
from tests.lies.search import smallest

COUNT = 400


def measured(folder: Path) -> Path:
    """The run file of interrupts on the virtual bench, with log and input capture."""
    path = folder / "honest.h5"
    plan = load_plan("interrupt").with_overrides(count=COUNT)
    fixture, stop = load_fixture("virtual"), threading.Event()
    failure = run(plan, fixture, path, lambda _: None, stop, calibration="none")
    if failure is not None:
        raise failure
    return path


def made(forgery: Forgery, honest: Path, size: int) -> Outcome:
    """What becomes of this change."""
    path = honest.with_name("forged.h5")
    with forged(honest, path) as run:
        forgery.change(run, size)
    return outcome_of(path)


def found_of(forgery: Forgery | Keys, honest: Path) -> dict[str, Any]:
    """The smallest size that is seen; or the keys that are not."""
    if isinstance(forgery, Keys):
        return _of_keys(forgery, honest)
    verdicts: dict[str, str] = {}

    def told(size: int) -> Outcome:
        outcome = made(forgery, honest, size)
        verdicts[outcome.reason] = outcome.verdict
        return outcome

    found = smallest(told, forgery.low, forgery.high)
    return {
        "caught": found.caught,
        "uncaught": found.uncaught,
        "by": verdicts[found.reason] if found.caught is not None else None,
        "reason": found.reason,
    }


def _of_keys(forgery: Keys, honest: Path) -> dict[str, Any]:
    with forged(honest, honest.with_name("forged.h5")) as run:
        keys = forgery.keys(run)
    outcomes = {key: key_made(forgery, honest, key) for key in keys}
    by = sorted({each.verdict for each in outcomes.values() if each.caught})
    return {
        "keys": len(keys),
        "uncaught": [key for key, each in outcomes.items() if not each.caught],
        "by": " or ".join(by) or None,
    }


def key_made(forgery: Keys, honest: Path, key: str) -> Outcome:
    """What becomes of this key's change."""
    path = honest.with_name("forged.h5")
    with forged(honest, path) as run:
        forgery.change(run, key)
    return outcome_of(path)


def honest_again(honest: Path) -> tuple[Forged, Outcome]:
    """Stored and sealed again without a change."""
    path = honest.with_name("forged.h5")
    with forged(honest, path) as run:
        pass
    return run, outcome_of(path)
