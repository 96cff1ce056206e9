# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a run, built from its result, the same for terminal, page and window."""

from __future__ import annotations

from rig.analysis.measurements.without_above import WithoutAbove
from rig.document import Checks, Fact, ReportDocument, facts, section
from rig.formatting import capitalized, minute_of
from rig.measurements.registry import measurement_of
from rig.report.agreement import agreement
from rig.report.clocks import clocks, delays
from rig.report.distribution import distribution, figures
from rig.report.environment import environment, setting_of
from rig.report.evidence import events, loss, witnesses
from rig.report.inference import inference
from rig.report.labels import conclusion, judgments, title_of
from rig.report.pictures import Pictures
from rig.report.run_facts import load_tasks, run_facts
from rig.report.summary import headlines
from rig.report.timeline import timeline
from rig.report.tools import tools
from rig.report.uncertainty import uncertainty
from rig.report.without_above import beside_all
from rig.session.results import Result


def run_report(
    result: Result, pictures: Pictures | None = None, kept: WithoutAbove | None = None
) -> ReportDocument:
    """Return the whole report of a run; without `pictures`, only what its result contains.

    `kept`: the figures without the values above a threshold; None: they were not asked for.
    """
    settings, evaluation = result.settings, result.evaluation
    drawn = pictures or Pictures()
    kind = "file" if settings.planned is None else "run file"
    return ReportDocument(
        title=capitalized(title_of(settings)),
        subtitle=" · ".join(
            [
                *(f"{capitalized(name)}: {text}" for name, text in setting_of(result)),
                minute_of(result.created),
            ]
        ),
        sections=(
            *section("limits", "Limits", Checks(judgments(evaluation))),
            *measurement_of(settings.measurement).sections(evaluation),
            *tools(result),
            *load_tasks(result),
            *figures(result),
            *beside_all(result, kept),
            *inference(result),
            *distribution(result),
            *timeline(settings, drawn),
            *events(result),
            *witnesses(result),
            *clocks(evaluation),
            *delays(evaluation),
            *agreement(result, drawn),
            *loss(result),
            *uncertainty(result),
            *section("run", "Run", facts([*run_facts(result), *setting_of(result)])),
            *environment(result),
        ),
        conclusion=conclusion(evaluation),
        headlines=headlines(result),
        source=Fact(kind, str(result.path), result.path.name),
    )
