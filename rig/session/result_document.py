# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's result as JSON: as its file holds it, and as `--json` prints it.

The documents are the dataclasses field by field, so what is written can be read back;
docs/reference/results.schema.json is made of the same declarations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.constants import ConstantDelay
from rig.analysis.crosscheck.witness import CaptureComparison
from rig.analysis.inference.internal_latency import InternalLatencySummary
from rig.analysis.log.contingency import Evidence
from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.limits import JudgedLimit
from rig.analysis.measurements.without_above import WithoutAbove
from rig.analysis.statistics.tail import Tail
from rig.analysis.statistics.tick import Tick
from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.contribution import Contribution
from rig.analysis.uncertainty.correction import Correction
from rig.analysis.uncertainty.effects import SystematicEffects
from rig.analysis.uncertainty.measurand import Measurand
from rig.measurements.registry import details_kinds
from rig.session.calibration import CalibrationSummary
from rig.session.stored_tools import ToolReport
from rig.untrusted.decode import Layout, decoded
from rig.untrusted.encode import encoded

FORMAT: Final = 2
"""The version of both documents. The first had the primary measurand's figures at its top."""
LAYOUT: Final = Layout(
    tags={kind: kind.kind for kind in details_kinds()},
    derived={
        Budget: ("correction", "corrected", "combined", "expanded", "coverage_factor"),
        CaptureComparison: ("offset_ns", "spread_ns", "allowed_ns"),
        ConstantDelay: ("agrees",),
        Contribution: ("uncertainty",),
        Evidence: ("agrees",),
        JudgedLimit: ("text",),
        Measurand: ("correction", "residual_error_ns"),
        Tail: ("refused",),
    },
    omitted={
        ClockAgreement: ("residuals",),
        Correction: ("by_edge",),
        SystematicEffects: ("by_edge",),
        InternalLatencySummary: ("pairs_ns",),
        Measurand: ("histogram", "course", "other"),
        Tick: ("phase_n", "phase_average", "phase_max"),
    },
)
"""The layout of both documents. What only a drawing needs is omitted; the primary measurand's
histogram has a place of its own in a run file."""


@dataclass(frozen=True)
class ResultHeader:
    """The part of what `--json` prints of a run that is beside its evaluation."""

    format: int
    file: str
    state: str
    """`complete`, `interrupted`, `recording` or `imported`."""
    samples: int | None
    """The samples that the file accounts for; null for a capture of which no run file was made."""
    measurement: str
    scenario: str
    planned: int | None
    """The events that the plan asked for; null if no plan is known."""
    sample_period_ns: float
    calibration: CalibrationSummary | None
    """The calibration in use; null if nothing is known of the bench, as of a capture."""
    tools: tuple[ToolReport, ...] = ()
    """The results of test tools on the target, run before."""
    digests: str | None = None
    """The reason why the file has no digests; null: it has digests, and they hold."""
    without_above: WithoutAbove | None = None
    """The figures without the values above a threshold, beside those of all values; null: not
    asked for."""


def printed_document(header: ResultHeader, evaluation: Evaluation) -> dict[str, Any]:
    """Return the document that `--json` prints, as plain values."""
    return {**encoded(header, LAYOUT), **encoded(evaluation, LAYOUT)}


def stored_document(
    evaluation: Evaluation, calibration: CalibrationSummary | None
) -> dict[str, Any]:
    """Return the document that a run file holds, as plain values."""
    return {
        "format": FORMAT,
        **encoded(evaluation, LAYOUT),
        "calibration": encoded(calibration, LAYOUT),
    }


def evaluation_of(document: Mapping[str, Any]) -> Evaluation:
    """Return the evaluation that a run file holds.

    Raises WrongValueError: the place, what was found there, what is valid.
    """
    own = {key: value for key, value in document.items() if key not in _BESIDE}
    return decoded(Evaluation, own, layout=LAYOUT)


_BESIDE: Final = ("format", "calibration")
