# SPDX-License-Identifier: GPL-3.0-or-later
"""What a calibration tells of a bench that no correction mends, for a run to say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from rig.config.calibration.names import COUNTER_STABILITY, COUNTER_STABLE_PPM
from rig.config.calibration.record import Quantity, Record
from rig.target.frequency import told_khz
from rig.untrusted.json_reader import json_value


def cautions(records: Iterable[Record], texts: Mapping[str, str]) -> tuple[str, ...]:
    """In words; `records`: those that hold, `texts`: of the run file.

    A counter that goes with the processor's frequency is as good as any while that is fixed, and
    the environment may tell that it was.
    """
    for record in records:
        found = record.quantity(COUNTER_STABILITY)
        if found is None or _least(found) <= COUNTER_STABLE_PPM or _fixed(texts):
            continue
        return (
            f"the target's counter CHANGES ITS RATE by {found.value:,.4g} ppm with the processor's "
            f"frequency ({record.step} of {record.date.date().isoformat()}), which was not fixed: "
            "times from the agent's log, and its agreement with the edges, are not to be relied on",
        )
    return ()


def _least(found: Quantity) -> float:
    """Of a value between hard limits."""
    return found.value - math.sqrt(3) * found.standard_uncertainty


def _fixed(texts: Mapping[str, str]) -> bool:
    """Each processor of the target that tells of its limits has one frequency, and one does."""
    try:
        told = json_value(texts.get("environment/target", ""))["environment"]["cpus"]
        limits = [(told_khz(cpu["minimum_khz"]), told_khz(cpu["maximum_khz"])) for cpu in told]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(limits) and all(low == high for low, high in limits)
