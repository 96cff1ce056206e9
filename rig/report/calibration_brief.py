# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's calibration in a few words, for tables of several runs and for servers."""

from __future__ import annotations

from rig.analysis.uncertainty.correction import Correction
from rig.config.calibration.validity import RecordStatus, Validity
from rig.session.results import Result

NONE = "none"
_ORDER = (Validity.EXPIRED, Validity.NOT_MATCHING, Validity.VALID, Validity.ABSENT)


def calibration_state(result: Result) -> str:
    """Return `none`, `valid` if all that the run needs is there and valid, else what is not.

    It includes the number of warnings, if there are any.
    """
    used = result.calibration
    if used is None or not used.is_there:
        return NONE
    if used.error:
        return "not used"
    warnings = [f"warnings: {len(used.warnings)}"] if used.warnings else []
    if used.is_whole:
        return "; ".join((str(Validity.VALID), *warnings))
    by_validity = {
        validity: [each.step for each in used.correcting if each.validity is validity]
        for validity in _ORDER
    }
    told = [f"{validity}: {', '.join(steps)}" for validity, steps in by_validity.items() if steps]
    told += [f"missing: {len(used.missing)}"] if used.missing else []
    told += warnings
    return "; ".join(told)


def taken_off(result: Result) -> str:
    """Return the correction by the calibration and the run itself; "" if there is no figure."""
    correction = _correction(result)
    if correction is None:
        return ""
    rate_ppm = (1 - correction.factor) * 1e6
    rate = f" and {rate_ppm:+.3f} ppm" if rate_ppm else ""
    return f"{correction.offset_ns:+.1f} ns{rate}"


def calibration_identity(result: Result) -> str:
    """Return the records that were applied: equal ones mean the same calibration."""
    used = result.calibration
    valid = () if used is None else _valid(used.correcting)
    return ", ".join(valid) or NONE


def calibration_values(result: Result) -> dict[str, object]:
    """Return the calibration as plain values, for `--json`."""
    correction = _correction(result)
    return {
        "state": calibration_state(result),
        "applied": calibration_identity(result),
        "offset_ns": None if correction is None else correction.offset_ns,
        "factor": None if correction is None else correction.factor,
    }


def _valid(judged: tuple[RecordStatus, ...]) -> tuple[str, ...]:
    return tuple(
        f"{each.step} of {each.record.date.isoformat()}"
        for each in judged
        if each.record is not None and each.validity is Validity.VALID
    )


def _correction(result: Result) -> Correction | None:
    """Return the correction of the figures; None for a capture by itself, or without figures."""
    evaluation = result.evaluation
    if result.calibration is None or not evaluation.measurands:
        return None
    if evaluation.figures.max_ns is None:
        return None
    return Correction.of(evaluation.measurands[0].effects)
