# SPDX-License-Identifier: GPL-3.0-or-later
"""One run: open, record, stimulate, collect, store. Hardware, virtual and replay alike."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Settings
from rig.bench.open import Bench, OpenBench, open_bench
from rig.config.calibration.paths import chosen_text
from rig.config.check import fitted
from rig.config.fixture import Fixture
from rig.config.plan import Plan
from rig.errors import BenchError, RefusedError, RigError
from rig.instruments import (
    ArmOptions,
    CaptureEnd,
    EdgeBlock,
    Int64Array,
    Loss,
    SamplesTaken,
    TargetSummary,
)
from rig.measurements.registry import measurement_of
from rig.measurements.stored_settings import account_to_json, settings_to_json
from rig.record.free_space import check_room
from rig.record.layout import CALIBRATION, OVERRIDES
from rig.record.writer import RunWriter
from rig.recording.course import Course
from rig.recording.live import LiveSummary
from rig.recording.log_fetcher import LogFetcher, fitted_log
from rig.session.environment import environment_of
from rig.session.held_frequency import frequency_hold
from rig.session.live_windows import LiveWindows
from rig.session.settings import settings_of
from rig.session.tools import tools_texts
from rig.session.windows import folder_of
from rig.target.protocol import LOG_CHUNK
from rig.target.scenario import IDLE, Load, load_on, nobody_starts

READ_S = 0.1
"""The longest wait for samples before other things are looked after."""
FAILURE_MAX = 1000
"""The characters of a failure that the report has room for."""
OnProgress = Callable[[LiveSummary], None]


@dataclass
class _Ending:
    """The end of the run: its state, its first failure, and what the instruments have counted."""

    state: str = "complete"
    account: InstrumentCounts = field(default_factory=InstrumentCounts)
    error: RigError | None = None

    def fail(self, error: RigError) -> None:
        """Note a failure; the first one counts, as later ones follow from it."""
        if self.error is None:
            self.error = error
            self.state = "failed"
            self.account = replace(self.account, failure=str(error)[:FAILURE_MAX])

    def interrupt(self) -> None:
        """Note that the user has ended the run."""
        self.account = replace(self.account, interrupted=True)
        self.state = "interrupted" if self.error is None else self.state

    def check(self, load: Load) -> None:
        """Check that the load has lasted; what was measured without it fails."""
        try:
            self.account = replace(self.account, load_workers=load.check())
            self.account = replace(self.account, load_tasks=load.tasks())
        except RigError as error:
            self.fail(error)


def run(
    plan: Plan,
    fixture: Fixture,
    path: Path,
    on_progress: OnProgress,
    stop: threading.Event,
    opener: OpenBench = open_bench,
    calibration: str | None = None,
    tell: Callable[[str], None] = lambda _text: None,
) -> RigError | None:
    """Measure, and leave a finished run file at `path`.

    `calibration`: a file or "none"; None: the fixture's own, if it has one, or that of the run
    that is replayed.
    `tell` gets a line of what is to be known before anything is measured.
    `stop` ends the run early and in order. Returns the bench's failure, if it failed after the run
    file was begun: what had been measured is in the file. Raises InputError or BenchError if
    nothing could be begun, RefusedError if the target refused it; then no file is left.
    """
    chosen = chosen_text(fixture, calibration)
    check_room(path, plan.count)
    live = LiveSummary(plan.count, fixture.analyzer.sample_rate_hz)
    on_progress(live)
    with opener(fitted(fixture, plan)) as bench:
        settings = settings_of(
            plan,
            fixture,
            bench.analyzer.identity.sample_rate_hz,
            bench.stimulus.identity.clock_hz,
            bench.target.identity.tick_hz,
        )
        timeout_samples = plan.response.timeout_ps * settings.sample_rate_hz // 10**12
        course = measurement_of(settings.measurement).course(settings, timeout_samples)
        live.sample_rate_hz, live.figures = settings.sample_rate_hz, course.figures
        course.prepare(bench.stimulus)
        asked = measurement_of(settings.measurement).arm_options(settings, live.planned)
        armed = fitted_log(bench.target, asked, live.planned, plan.events_s)
        if calibration is None and bench.calibration is not None:
            chosen = bench.calibration
        is_replay = bench.calibration is not None
        with (
            load_on(bench.target, plan.scenario, stop, fixture.scenarios, plan.load_cpus) as load,
            frequency_hold(bench.target, plan.agent, is_replay=is_replay) as held,
        ):
            if load is None and plan.scenario != IDLE and not is_replay:
                if plan.scenario not in fixture.loads_by_hand:
                    raise nobody_starts(bench.target, plan.scenario)
                if plan.load_cpus:
                    raise RefusedError(
                        f"load {plan.scenario} is started by hand: place it yourself"
                    )
                tell(f"load {plan.scenario}: started by hand, says the fixture; see that it runs")
            environment = environment_of(bench, None if load is None else load.measured, held.told)
            environment |= tools_texts(plan, bench.target, stop, _say_of(live, on_progress))
            texts = {"plan": plan.text, "fixture": fixture.text, CALIBRATION: chosen, **environment}
            if plan.overrides:
                texts[OVERRIDES] = json.dumps(plan.overrides, sort_keys=True)
            with RunWriter(path, texts, settings_to_json(settings)) as writer:
                recording = _Recording(bench, settings, armed, course, writer, live, on_progress)
                ending = recording.go(stop)
                if isinstance(ending.error, RefusedError) and not course.started:
                    writer.discard()
                    raise ending.error
                if load is not None:
                    ending.check(load)
                ending.account = replace(ending.account, frequency_held=bool(held.told))
                held.give_back(ending.fail)
                writer.finish(ending.state, account_to_json(ending.account))
    return ending.error


def _say_of(live: LiveSummary, on_progress: OnProgress) -> Callable[[str], None]:
    """Return the function that shows what is done before samples flow."""

    def say(name: str) -> None:
        live.phase = f"{name} on the target"
        on_progress(live)

    return say


class _Recording:
    """The part of a run during which samples flow. Implements rig.recording.course.Recorder."""

    def __init__(
        self,
        bench: Bench,
        settings: Settings,
        armed: ArmOptions,
        course: Course,
        writer: RunWriter,
        live: LiveSummary,
        on_progress: OnProgress,
    ) -> None:
        self._bench, self._settings, self._course = bench, settings, course
        self.stimulus, self.target = bench.stimulus, bench.target
        self._writer, self.live, self._on_progress = writer, live, on_progress
        names = list(bench.analyzer.identity.channels)
        folder = folder_of(writer.path)
        self._windows = LiveWindows(folder, settings, names, course.timeout_samples)
        self._ending = _Ending()
        self.capture_ended = True  # until it has begun
        self._armed = armed
        self._log: LogFetcher | None = None  # unless the log is streamed
        self._summary: TargetSummary | None = None  # until it has been stopped

    def go(self, stop: threading.Event) -> _Ending:
        """Arm, let the run take its course, collect. Never raises a RigError: the ending has it."""
        ending = self._ending
        try:
            self._arm(stop)
            self.live.phase = "measuring"
            self._course.follow(self, stop)
        except RigError as error:
            ending.fail(self._bench.cause_of(error))
        if stop.is_set():
            ending.interrupt()
        self.live.phase = "finishing"
        self._finish()
        return ending

    @property
    def account(self) -> InstrumentCounts:
        return self._ending.account

    @account.setter
    def account(self, account: InstrumentCounts) -> None:
        self._ending.account = account

    def _arm(self, stop: threading.Event) -> None:
        self._bench.analyzer.start()
        self.capture_ended = False
        self._last_loss = ""
        while not self.live.samples and not stop.is_set():
            self.read()
        self.target.arm(self._armed)
        if self._armed.stream:
            self.account = replace(self.account, log_streamed=self._armed.capacity)
            self._log = LogFetcher(self.target)

    def captures(self, ticks: Int64Array) -> None:
        self._writer.captures(ticks)

    def stop_target(self) -> TargetSummary:
        if self._summary is None:
            if self._log is not None:
                self._log.finish()
            self._summary = self.target.stop()
        return self._summary

    def _take_log(self) -> None:
        """Take what was read of a streamed log into the run file."""
        if self._log is not None:
            for rows in self._log.take():
                self._writer.log(rows)

    def read(self) -> None:
        item = self._bench.analyzer.read(READ_S)
        match item:
            case EdgeBlock():
                self._add(item)
            case Loss():
                self._writer.loss(item)
                self.live.losses += 1
                self._last_loss = item.text
            case CaptureEnd():
                self.capture_ended = True
                self.account = replace(self.account, samples=item.samples)
                if not item.asked:
                    raise BenchError(
                        f"the analyzer stopped after {item.samples} samples without being asked"
                        + (f": {self._last_loss}" if self._last_loss else "")
                    )
            case SamplesTaken():
                self._let_time_pass(item)
            case None:
                self._writer.flush_when_due()  # what came before it went quiet must not wait
                self._bench.check()
        self._take_log()
        self._on_progress(self.live)

    def _let_time_pass(self, taken: SamplesTaken) -> None:
        if self._course.decides_by_edges:
            raise BenchError(
                f"measurement {self._settings.measurement} goes on by the edges it sees, and this "
                "analyzer shows them only at the end; measure it with an analyzer of libsigrok"
            )
        self.live.samples = taken.samples
        self._bench.check()

    def _add(self, block: EdgeBlock) -> None:
        self._writer.edges(block)
        self.live.add(block)
        self.live.backlog = self._bench.analyzer.backlog
        figures = self._course.figures
        if not figures.events_are_answers:
            self._windows.add(block, figures.take_notable())

    def _finish(self) -> None:
        """Stop everything and take what it still has; a failure here does not stop the rest."""
        steps: list[Callable[[], None]] = [self._stop_analyzer]
        if self._course.started:
            steps += [partial(self._course.end, self), self._end_target]
        for step in steps:
            try:
                step()
                self._writer.flush()  # the next instrument may take long to answer
            except RigError as error:
                self._ending.fail(self._bench.cause_of(error))
        if self._log is not None:
            self._log.finish()  # also if the target was never stopped

    def _stop_analyzer(self) -> None:
        if not self.capture_ended:
            self._bench.analyzer.stop()
        while not self.capture_ended:
            self.read()
        backlog = self._bench.analyzer.backlog
        self.account = replace(
            self.account,
            backlog_max_ns=backlog.max_ns,
            backlog_max_sample=backlog.max_sample,
            driver_held_ns=backlog.held_ns,
        )

    def _end_target(self) -> None:
        summary = self.stop_target()
        self._take_log()
        first = 0 if self._log is None else self._log.fetched
        while first < summary.records:
            rows = self.target.log(first, LOG_CHUNK)
            if not len(rows):
                raise BenchError(
                    f"the target's log ends at record {first} of {summary.records}; "
                    "check the agent and its link"
                )
            self._writer.log(rows)
            first += len(rows)
        self.account = replace(
            self.account,
            handled=summary.handled,
            log_dropped=summary.dropped,
            unanswered=summary.unanswered,
            overruns=summary.overruns,
            triggers=summary.triggers,
            throttled=summary.throttled or 0,
            work_per_ms=summary.work_per_ms,
            smis=summary.smis,
            thermal_throttles=summary.thermal_throttles,
            policy=summary.policy,
            interrupt=summary.interrupt,
            frequency=summary.frequency,
        )
