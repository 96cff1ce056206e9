# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of a run about its calibration."""

from __future__ import annotations

from collections.abc import Iterator

from rig.analysis.statistics.descriptive import DescriptiveStatistics
from rig.analysis.uncertainty.correction import Correction
from rig.config.calibration.names import CORRECTING_STEPS
from rig.config.calibration.validity import RecordStatus, Validity
from rig.formatting import microseconds
from rig.session.calibration import CalibrationInUse
from rig.session.results import Result


def calibration_facts(result: Result) -> list[tuple[str, str]]:
    """Return names and words of the facts; none for a capture by itself."""
    used = result.calibration
    if used is None:
        return []
    facts = [("calibration", "; ".join(_statement(used)))]
    if not result.evaluation.measurands or result.evaluation.figures.max_ns is None:
        return facts
    correction = Correction.of(result.evaluation.measurands[0].effects)
    figures = result.evaluation.figures
    facts.append(("corrected", _corrected(correction, figures)))
    facts.append(("may be off", _left(correction, figures)))
    return facts


def _statement(used: CalibrationInUse) -> Iterator[str]:
    if not used.is_there:
        yield "NONE: what the bench itself adds was not measured"
        return
    if used.error:
        yield f"NOT USED: {used.error}"
        return
    yield from map(_step, used.correcting)
    yield from used.missing
    yield from used.warnings


def _step(found: RecordStatus) -> str:
    name = CORRECTING_STEPS[found.step]
    if found.record is None:
        return f"{name} NOT CALIBRATED"
    day = found.record.date.date().isoformat()
    if found.validity is Validity.VALID:
        until = found.record.valid_until
        return f"{name} of {day}" + (f", valid until {until.isoformat()}" if until else "")
    return f"{name} of {day} {found.validity.upper()}, not applied ({found.why})"


def _corrected(correction: Correction, indicated: DescriptiveStatistics) -> str:
    """Return the main figures as they are without what the bench adds."""
    figures = correction.figures(indicated)
    told = (
        ("average", figures.average_ns),
        ("min", figures.min_ns),
        ("max", figures.max_ns),
        ("median", figures.median_ns),
        ("p99", figures.p99_ns),
    )
    values = ", ".join(f"{name} {microseconds(ns)}" for name, ns in told if ns is not None)
    rate_ppm = (1 - correction.factor) * 1e6
    offset_ns = round(correction.offset_ns, 1)
    parts = [f"{offset_ns:+.1f} ns"] if offset_ns else []
    parts += [f"{rate_ppm:+.3f} ppm"] if rate_ppm else []
    return f"{values} us, with {' and '.join(parts) or 'nothing'} taken off"


def _left(correction: Correction, indicated: DescriptiveStatistics) -> str:
    """Return how large the systematic error may be after the correction."""
    residual_error_ns = correction.residual_error_ns(indicated.max_ns or 0.0)
    most = f"up to {residual_error_ns:.3g}" if residual_error_ns >= 0.01 else "less than 0.01"
    text = f"each figure by {most} ns, as far as the bench is known"
    if correction.unknown:
        text += f"; by HOW MUCH MORE is not known, for want of: {', '.join(correction.unknown)}"
    return text
