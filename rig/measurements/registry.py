# SPDX-License-Identifier: GPL-3.0-or-later
"""All measurements, by name."""

from __future__ import annotations

from typing import Final

from rig.analysis.model.details import Details
from rig.analysis.model.self_measurement import SelfMeasurement
from rig.event_source import EventSource
from rig.limit_names import INTERNAL
from rig.measurements.clock_resolution import ClockResolution
from rig.measurements.interrupt import ImportedCapture, Interrupt, InterruptToTask
from rig.measurements.interrupt_dispatch import InterruptDispatch
from rig.measurements.measurement import Measurement
from rig.measurements.period import Period
from rig.measurements.period_search import PeriodSearchRun
from rig.measurements.periodic_tasks import PeriodicTasks
from rig.measurements.preemption import Preemption, TaskPreemption
from rig.measurements.priority_inversion import PriorityInversion
from rig.measurements.reported import Subject
from rig.measurements.saturation import Saturation
from rig.measurements.self_measured import MeasuredByTarget
from rig.measurements.semaphore_shuffle import SemaphoreShuffle
from rig.measurements.services import Services
from rig.measurements.smi import Smi
from rig.measurements.start_finish import StartFinish
from rig.measurements.task_creation import TaskCreation
from rig.measurements.task_switch import TaskSwitch
from rig.measurements.timer import PERIOD_START, Timer
from rig.measurements.with_tasks import InterruptToTaskWithTasks, InterruptWithTasks

MEASUREMENTS: Final[dict[str, Measurement]] = {
    each.name: each
    for each in (
        Interrupt(),
        InterruptToTask(),
        InterruptDispatch(),
        Period(),
        TaskSwitch(),
        TaskPreemption(),
        Preemption(),
        Timer(),
        ClockResolution(),
        TaskCreation(),
        Services(),
        PriorityInversion(),
        SemaphoreShuffle(),
        StartFinish(),
        PeriodicTasks(),
        InterruptWithTasks(),
        InterruptToTaskWithTasks(),
        PeriodSearchRun(),
        Smi(),
        Saturation(),
    )
}
"""All measurements that plans can ask for, by name."""
MEASURANDS: Final = tuple(
    dict.fromkeys(name for each in MEASUREMENTS.values() for name in (*each.measurands, INTERNAL))
)
"""Names of all measurands, in the order of reports."""
SELF_MEASUREMENTS: Final[dict[str, SelfMeasurement]] = {
    name: each.description
    for name, each in MEASUREMENTS.items()
    if isinstance(each, MeasuredByTarget)
}
"""Descriptions of the measurements that the target makes by itself."""
_STORED: Final[dict[str, Measurement]] = {
    **MEASUREMENTS,
    ImportedCapture.name: ImportedCapture(),
}
_SUBJECTS: Final[dict[str, Subject]] = {
    subject.name: subject
    for each in MEASUREMENTS.values()
    for subject in (*each.subjects, PERIOD_START)
}


def source_kinds() -> tuple[type[EventSource], ...]:
    """Return all kinds of sources of events."""
    return tuple(dict.fromkeys(kind for each in MEASUREMENTS.values() for kind in each.sources))


def details_kinds() -> tuple[type[Details], ...]:
    """Return all kinds of details that an evaluation can have."""
    return tuple(dict.fromkeys(kind for each in MEASUREMENTS.values() for kind in each.details()))


def subject_of(name: str) -> Subject:
    """Return the subject that a table of runs, or a publication, calls by this name."""
    return _SUBJECTS.get(name) or Subject(name, name.replace("_", "-"))


def measurement_of(name: str) -> Measurement:
    """Return the measurement that a run file names. Raises ValueError if there is none."""
    if name not in _STORED:
        raise ValueError(f"measurement is {name!a:.60}; valid: {', '.join(_STORED)}")
    return _STORED[name]
