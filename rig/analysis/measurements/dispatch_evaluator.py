# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluation of dispatch latency, in runs that show when the interrupted task went on."""

from __future__ import annotations

from dataclasses import replace

from rig.analysis.crosscheck.constants import logged_delay, task_path
from rig.analysis.measurements.dispatch import (
    dispatch_caveats,
    dispatch_witnesses,
    measure_dispatch,
)
from rig.analysis.measurements.interrupts import InterruptEvaluator
from rig.analysis.measurements.pipeline import Aligned
from rig.analysis.measurements.stimuli import Paired, PrimaryResult
from rig.analysis.uncertainty.effects import between_answers
from rig.analysis.uncertainty.measurand import Measurand, measurand
from rig.limit_names import BY_TICKS, INTERRUPT, LATENCY


class DispatchEvaluator(InterruptEvaluator):
    """The evaluator of dispatch latency, and beside it of the handler's interrupt latency."""

    def headline(self, paired: Paired, aligned: Aligned) -> PrimaryResult:
        interrupt, settings = paired.latency(INTERRUPT), self.settings
        tally = paired.latency_tally
        path = task_path(tally.bench)
        found = measure_dispatch(
            self.raw, settings, paired.responses, interrupt.statistics, path, aligned.agreement
        )
        response, task = f"D{settings.wiring.response}", f"D{settings.wiring.task}"
        delay = logged_delay(
            "delay between the response's and the task's channel", found.delays, path,
            (
                f"edges of the task reach the analyzer late (wire or input {task})",
                f"edges of the response reach the analyzer late (wire or input {response})",
            ),
        )  # fmt: skip
        rate_hz = settings.tick_hz or 10**9
        effects = tally.on_counter(rate_hz, paired.duration_ns)
        ticks = measurand(LATENCY + BY_TICKS, found.ticks, rate_hz, effects)
        measurands: tuple[Measurand, ...] = (replace(ticks, name=LATENCY), interrupt)
        aliases: tuple[Measurand, ...] = (ticks,)
        if found.pins is not None:
            room_ns = None if path.is_known or delay is None else found.delays.largest_ns
            effects = between_answers(tally.bench, room_ns)
            pins = measurand(LATENCY, found.pins, settings.sample_rate_hz, effects)
            measurands, aliases = (pins, ticks, interrupt), ()
        return PrimaryResult(
            measurands=measurands,
            aliases=aliases,
            details=found.figures,
            witnesses=dispatch_witnesses(found.figures),
            caveats=dispatch_caveats(found.figures),
            delays=(*filter(None, (delay,)),),
        )
