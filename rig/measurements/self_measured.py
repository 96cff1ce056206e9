# SPDX-License-Identifier: GPL-3.0-or-later
"""What measurements that the target makes by itself have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rig.analysis.model.self_measurement import COMMON_KEYS, SelfMeasurement
from rig.analysis.model.sources import EventSource, SelfMeasured
from rig.instruments import ArmOptions
from rig.limit_names import LATENCY
from rig.measurements.measurement import SPARE_LOG_RECORDS, Measurement

if TYPE_CHECKING:
    from rig.analysis.measurements.evaluation import Evaluation, OnEvents
    from rig.analysis.model.account import Account
    from rig.analysis.model.run_data import RawRun
    from rig.analysis.model.settings import Settings
    from rig.analysis.uncertainty.bench import Bench


class MeasuredByTarget(Measurement):
    """Values of the target's own counter; the pins, where they are used, are the witness."""

    description: ClassVar[SelfMeasurement]
    """Its variants and the parts of a value."""
    sources = (SelfMeasured,)

    def __init_subclass__(cls) -> None:
        """Take from the description what every measurement has."""
        cls.name = cls.description.name
        cls.agent_keys = (*COMMON_KEYS, *cls.description.keys)

    @property
    def title(self) -> str:
        return self.name.replace("_", " ")

    def measurands(self, source: type[EventSource]) -> tuple[str, ...]:  # noqa: ARG002
        return (LATENCY,)

    def arm_options(self, settings: Settings, planned: int) -> ArmOptions:
        """It ends by itself: the log needs no more room than for what is asked."""
        on_pins = self.description.on_pins(settings.agent)
        return ArmOptions(
            measurement=self.name,
            capacity=self.description.capacity(settings.agent, planned) + SPARE_LOG_RECORDS,
            sequence_bits=len(settings.wiring.sequence) if on_pins else 0,
            options=dict(settings.agent),
        )

    def evaluate(
        self,
        raw: RawRun,
        settings: Settings,
        account: Account,
        on_events: OnEvents | None,  # noqa: ARG002
        bench: Bench | None,
    ) -> Evaluation:
        from rig.analysis.measurements.self_measured import evaluate_inside  # loads scipy

        return evaluate_inside(raw, settings, account, self.description, bench)
