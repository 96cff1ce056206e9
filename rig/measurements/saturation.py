# SPDX-License-Identifier: GPL-3.0-or-later
"""The highest rate of interrupts that the target keeps up with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rig.analysis.model.rate_search import HANDLER, RateSearch
from rig.instruments import ArmOptions
from rig.limit_names import LATENCY, SPACING
from rig.measurements.interrupt import Interrupt
from rig.measurements.measurement import source_as

if TYPE_CHECKING:
    from rig.analysis.measurements.pipeline import RecordedRun
    from rig.analysis.measurements.stimuli import Stimuli
    from rig.analysis.model.settings import Settings
    from rig.recording.course import Course


class Saturation(Interrupt):
    """One train after the other, each of another rate, until the limit is enclosed."""

    name = "saturation"
    title = "saturation"
    sources = (RateSearch,)
    plan_table = "search"
    is_replayable = False
    no_pulses = "the pulses follow from what is kept up with, by [search]"
    measurands = (LATENCY, SPACING)
    agent_keys = ("handler", "second_level", "priority", "cpu")
    counts_not_limited = ("missed", "late", "merged")  # it is made to find where answers get lost

    def arm_options(self, settings: Settings, planned: int) -> ArmOptions:
        """The agent is asked for the measurement whose answers are wanted."""
        search = source_as(RateSearch, settings)
        options = super().arm_options(settings, planned)
        return replace(options, measurement=search.answered_by)

    def variant_words(self, settings: Settings) -> list[str]:
        by_task = source_as(RateSearch, settings).answered_by != HANDLER
        return (["task"] if by_task else []) + super().variant_words(settings)

    def course(self, settings: Settings, timeout_samples: int) -> Course:
        from rig.recording.rate_search import RateSearchCourse  # loads the native library

        return RateSearchCourse(settings, timeout_samples, source_as(RateSearch, settings))

    def stimuli(self, run: RecordedRun) -> Stimuli:
        from rig.analysis.measurements.hold_stimuli import HoldStimuli  # loads scipy

        return HoldStimuli(run, source_as(RateSearch, run.settings))
