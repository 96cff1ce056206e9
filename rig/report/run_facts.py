# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of how a run was made, without which its figures may be misread."""

from __future__ import annotations

from rig.analysis.model.self_measurement import whole_word
from rig.analysis.model.settings import Settings
from rig.document import Fact, Section, TextTable, facts, section
from rig.formatting import count, microseconds, time_text
from rig.measurements.registry import measurement_of
from rig.report.calibration_facts import calibration_facts
from rig.report.environment import environment_of
from rig.session.results import NO_DIGESTS, Result

_STATE_WORDS = {
    "running": "without an end: still going on, or its process was killed",
    "recovered": "recovered, without its end",
}
_LOAD_COLUMNS = ("task", "period", "work", "priority", "ran", "overruns", "late us", "max")
HELD_NS = 1_000_000
"""A wait of the driver from which it is reported."""


def run_facts(result: Result) -> list[tuple[str, str]]:
    """Return the facts without which a run's figures may be misread."""
    settings, evaluation = result.settings, result.evaluation
    measurement = measurement_of(settings.measurement)
    sample_ns = 1e9 / settings.sample_rate_hz
    return [
        (
            "analyzed" if settings.planned is None else "started",
            f"{result.created}, {_STATE_WORDS.get(result.state, result.state)}",
        ),
        *_record(result),
        *([] if result.has_digests else [("digests", NO_DIGESTS)]),
        measurement.cause(settings)[:2],
        *_agent(settings),
        ("duration", f"{evaluation.duration_s:.3f} s, first to last {measurement.event_end}"),
        (
            "resolution",
            f"{sample_ns:.1f} ns a sample, u = {sample_ns / 6**0.5:.1f} ns for a latency",
        ),
        ("paired by", evaluation.paired_by),
        *_policy(result),
        *_interrupt(result),
        *_frequency(result),
        *disturbances(result),
        *_work(result),
        *_throttled(result),
        *_streamed(result),
        *_backlog(result),
        *calibration_facts(result),
    ]


def _frequency(result: Result) -> list[tuple[str, str]]:
    """Return how the processor's frequency changed, or at what it was held all the time."""
    if course := result.account.frequency:
        return [("frequency", str(course))]
    held = environment_of(result)["target"].get("frequency")
    if not isinstance(held, dict):
        return []
    khz = whole_word({"held_khz": str(held.get("held_khz"))}, "held_khz")
    return [("frequency", f"processor {held.get('cpu')} held at {khz / 1e6:g} GHz")] if khz else []


def _agent(settings: Settings) -> list[tuple[str, str]]:
    """Return the options that the plan gave the agent."""
    told = ("period_ns", "count", "self_trigger")
    words = {k: v for k, v in settings.agent.items() if k not in told}
    return [("agent", ", ".join(f"{k} {v}" for k, v in words.items()))] if words else []


def load_tasks(result: Result) -> tuple[Section, ...]:
    """Return a line for each periodic task of the load; none if it has no such tasks."""
    tasks = result.account.load_tasks
    rows = tuple(
        (
            str(number),
            time_text(task.period_ns),
            time_text(task.work_ns),
            str(task.priority),
            count(task.starts),
            count(task.overruns),
            microseconds(task.late_ns / task.starts if task.starts else None),
            microseconds(task.late_max_ns),
        )
        for number, task in enumerate(tasks, 1)
    )
    if not rows:
        return ()
    table = TextTable(_LOAD_COLUMNS, rows, range(len(_LOAD_COLUMNS)))
    lost = sum(task.overruns for task in tasks)
    kept = f"{count(lost)} periods were not over in time" if lost else "every period was kept"
    return section(
        "load", f"Load {result.settings.scenario}: its own periodic tasks", table,
        facts([Fact("load", f"{kept}, from the load's begin to the run's end")]),
    )  # fmt: skip


def _policy(result: Result) -> list[tuple[str, str]]:
    """Return the policy that a task found itself under, where the plan asked for one."""
    policy = result.account.policy
    return (
        [("scheduled", f"by policy {policy}, as the target's system told the task")]
        if policy
        else []
    )


def _interrupt(result: Result) -> list[tuple[str, str]]:
    """Return where the interrupt was held, if the plan has it held."""
    held = result.account.interrupt
    return [("interrupt", f"{held}, by the target's system; given back at the end")] if held else []


def disturbances(result: Result) -> list[tuple[str, str]]:
    """Return what held the target's processors up behind its kernel's back, if that is counted."""
    counted = (
        ("SMIs", result.account.smis, "interrupts of the target's firmware"),
        ("heat", result.account.thermal_throttles, "times that it slowed a processor's clock"),
    )
    return [
        (name, f"{number:,} {words} during the run")
        for name, number, words in counted
        if number is not None
    ]


def _work(result: Result) -> list[tuple[str, str]]:
    """Return the unit of the work that tasks do, if any do some."""
    per_ms = result.account.work_per_ms
    if not per_ms:
        return []
    return [
        ("work", f"{per_ms:,} iterations of a loop take a millisecond, measured before the run")
    ]


def _throttled(result: Result) -> list[tuple[str, str]]:
    """Return how often the target held its interrupts up, if it could not serve anything else."""
    times = result.account.throttled
    if not times:
        return []
    text = f"the target held interrupts up {times:,} times, so that others could run"
    return [("overload", text)]


def _streamed(result: Result) -> list[tuple[str, str]]:
    """Return how the log came, if sending it was a load on the target."""
    room = result.account.log_streamed
    if room is None:
        return []
    text = f"the target sent its log while it measured, which is a load: it had room for {room:,}"
    return [("log", f"{text} records at a time")]


def _backlog(result: Result) -> list[tuple[str, str]]:
    """Return the high-water mark of what waited between driver and run file."""
    account = result.account
    if account.backlog_max_ns is None:
        return []
    text = (
        f"at most {account.backlog_max_ns / 1e6:.1f} ms, at sample {account.backlog_max_sample:,}"
    )
    if account.driver_held_ns >= HELD_NS:
        text += f"; the driver had to wait {account.driver_held_ns / 1e6:.1f} ms"
    return [("backlog", text)]


def _record(result: Result) -> list[tuple[str, str]]:
    """Return how far the record goes, how much of the plan it has, and what a killed run lacks."""
    if result.samples is None:
        return []
    end_s = result.samples / result.settings.sample_rate_hz
    planned, seen = result.settings.planned, result.evaluation.counts.n
    details = result.evaluation.details
    ended_early = details is not None and details.ended_early
    if planned is None or (result.state == "complete" and (seen >= planned or ended_early)):
        return [("record", f"whole, {result.samples:,} samples ({end_s:.3f} s)")]
    facts = [
        (
            "record",
            f"stops at sample {result.samples:,} ({end_s:.3f} s after its start): {seen:,} of "
            f"{planned:,} planned {measurement_of(result.settings.measurement).events} are in it",
        )
    ]
    if result.state in _STATE_WORDS:
        facts.append(
            (
                "missing",
                "at most the last 0.5 s before a kill, and what the instruments tell at the end",
            )
        )
    return facts
