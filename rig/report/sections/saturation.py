# SPDX-License-Identifier: GPL-3.0-or-later
"""The search for the highest rate: its curve, and what became of each rate."""

from __future__ import annotations

from rig.analysis.measurements.saturation import SaturationFigures
from rig.report.page_data import PageData
from rig.report.plots.saturation import saturation_svg
from rig.report.saturation_words import COLUMNS, NUMBERS, rows
from rig.report.saturation_words import facts as words
from rig.report.saturation_words import title as line
from rig.report.sections.html import facts, figure, section, table


def saturation(data: PageData) -> str:
    """What was found and every hold; "" for other measurements."""
    found = data.result.evaluation.details
    if not isinstance(found, SaturationFigures):
        return ""
    name = line(found)
    holds = table(COLUMNS, rows(found), range(NUMBERS))
    return section(name[0].upper() + name[1:], facts(words(found)), holds)


def saturation_curve(data: PageData) -> str:
    """Answered share over rate; "" for other measurements."""
    found = data.result.evaluation.details
    drawn = saturation_svg(found) if isinstance(found, SaturationFigures) else ""
    if not drawn:
        return ""
    caption = "Late answers count, merged and missed stimuli do not."
    return section("Answered share over rate", figure(drawn, caption))
