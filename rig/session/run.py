# SPDX-License-Identifier: GPL-3.0-or-later
"""One run: open, record, stimulate, collect, store. Hardware, virtual and replay alike."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from rig.analysis.model.self_measurement import SelfMeasurement
from rig.analysis.model.settings import Settings
from rig.analysis.model.sources import TargetClocked
from rig.bench.open import Bench, OpenBench, open_bench
from rig.config.calibration.place import chosen_text
from rig.config.fitting import fitted
from rig.config.fixture import Fixture
from rig.config.plan import Plan
from rig.errors import BenchError, RigError
from rig.instruments import CaptureEnd, EdgeBlock, Loss, StimulusStatus, TargetSummary
from rig.measurements.registry import SELF_MEASUREMENTS, measurement_of
from rig.record.layout import CALIBRATION, OVERRIDES
from rig.record.writer import RunWriter
from rig.session.environment import environment_of
from rig.session.fetcher import CaptureFetcher
from rig.session.live import LiveSummary
from rig.session.live_periods import GRACE_S, PeriodsEnd
from rig.session.live_triggers import TriggersEnd
from rig.session.live_windows import LiveWindows
from rig.session.searching import LiveRateSearch
from rig.session.settings import settings_of, settings_to_json
from rig.session.tools import tools_texts
from rig.session.windows import folder_of
from rig.target.protocol import LOG_CHUNK
from rig.target.scenario import IDLE, Load, load_on, nobody_starts

AWAIT_MS = 200
"""A target that measures by itself is asked so often whether it is done."""
READ_S = 0.1
"""Longest wait for samples before other things are looked after."""
FAILURE_MAX = 1000
"""Characters of a failure that the report has room for."""
LAST_EDGE_GRACE_S = 1
"""Once the train has ended, an edge that the analyzer has not shown by then is not waited for."""

OnProgress = Callable[[LiveSummary], None]


@dataclass
class _Ending:
    """How the run ended, for the run file's report."""

    state: str = "complete"
    report: dict[str, object] = field(default_factory=dict)
    error: RigError | None = None

    def fail(self, error: RigError) -> None:
        """The first failure counts; later ones follow from it."""
        if self.error is None:
            self.error = error
            self.state = "failed"
            self.report["failure"] = str(error)[:FAILURE_MAX]

    def check(self, load: Load) -> None:
        """What was measured under a load that did not last was not measured under it."""
        try:
            self.report["load_workers"] = load.check()
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
    nothing could be begun; then no file is left.
    """
    chosen = chosen_text(fixture, calibration)
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
        live.begin(settings, plan.response.timeout_ps * settings.sample_rate_hz // 10**12)
        if settings.train is not None:
            bench.stimulus.configure(settings.train)
        if calibration is None and bench.calibration is not None:
            chosen = bench.calibration
        with load_on(bench.target, plan.scenario, stop, fixture.scenarios) as load:
            if load is None and plan.scenario != IDLE and bench.calibration is None:
                if plan.scenario not in fixture.loads_by_hand:
                    raise nobody_starts(bench.target, plan.scenario)
                tell(f"load {plan.scenario}: started by hand, says the fixture; see that it runs")
            environment = environment_of(bench, None if load is None else load.measured)
            environment |= tools_texts(plan, bench.target, stop, _say_of(live, on_progress))
            texts = {"plan": plan.text, "fixture": fixture.text, CALIBRATION: chosen, **environment}
            if plan.overrides:
                texts[OVERRIDES] = json.dumps(plan.overrides, sort_keys=True)
            with RunWriter(path, texts, settings_to_json(settings)) as writer:
                recording = _Recording(bench, settings, plan, writer, live, on_progress)
                ending = recording.go(stop)
                if load is not None:
                    ending.check(load)
                writer.finish(ending.state, ending.report)
    return ending.error


def _say_of(live: LiveSummary, on_progress: OnProgress) -> Callable[[str], None]:
    """Tells what is done before samples flow."""

    def say(name: str) -> None:
        live.phase = f"{name} on the target"
        on_progress(live)

    return say


class _Recording:
    """The part of a run during which samples flow."""

    def __init__(
        self,
        bench: Bench,
        settings: Settings,
        plan: Plan,
        writer: RunWriter,
        live: LiveSummary,
        on_progress: OnProgress,
    ) -> None:
        self._bench, self._settings, self._writer = bench, settings, writer
        self._live, self._on_progress = live, on_progress
        rate = settings.sample_rate_hz
        self._timeout_samples = plan.response.timeout_ps * rate // 10**12
        names = list(bench.analyzer.identity.channels)
        self._windows = LiveWindows(folder_of(writer.path), settings, names, self._timeout_samples)
        self._grace_samples = LAST_EDGE_GRACE_S * rate
        self._train_end_sample: int | None = None
        self._stimuli_before = 0  # of holds that have ended
        search = settings.rate_search
        self._hunt = None if search is None else LiveRateSearch(search, settings)
        self._ending = _Ending()
        self._capture_ended = True  # until it has begun
        self._armed = False
        self._summary: TargetSummary | None = None  # until it has been stopped

    def go(self, stop: threading.Event) -> _Ending:
        """Arm, stimulate, collect. Never raises a RigError: it is in the ending."""
        ending = self._ending
        fetcher: CaptureFetcher | None = None
        try:
            self._arm(stop)
            self._live.phase = "measuring"
            if self._hunt is not None:
                self._search(self._hunt, stop)
            elif self._settings.is_self_measured:
                self._collect_inside(SELF_MEASUREMENTS[self._settings.measurement], stop)
            elif isinstance(self._settings.source, TargetClocked):
                self._collect_by_target(self._settings.source, stop)
            elif not stop.is_set():
                self._bench.stimulus.start()
                fetcher = CaptureFetcher(self._bench.stimulus)
                self._collect(fetcher, stop)
        except RigError as error:
            ending.fail(self._bench.cause_of(error))
        if stop.is_set():
            ending.report["interrupted"] = True
            ending.state = "interrupted" if ending.error is None else ending.state
        self._live.phase = "finishing"
        self._finish(fetcher)
        return ending

    def _arm(self, stop: threading.Event) -> None:
        self._bench.analyzer.start()
        self._capture_ended = False
        while not self._live.samples and not stop.is_set():
            self._read()
        measurement = measurement_of(self._settings.measurement)
        self._bench.target.arm(measurement.arm_options(self._settings, self._live.planned))
        self._armed = True

    def _collect(self, fetcher: CaptureFetcher, stop: threading.Event) -> None:
        aborted = False
        while not self._all_seen(fetcher):
            if stop.is_set() and not aborted:
                # The samples of what was sent are still on their way: read on until they are here.
                self._bench.stimulus.abort()
                aborted = True
            self._read()
            self._writer.captures(fetcher.take())
            if fetcher.error is not None:
                raise fetcher.error

    def _search(self, hunt: LiveRateSearch, stop: threading.Event) -> None:
        """One hold after the other, until the limit is known."""
        while not stop.is_set() and (interval_ticks := hunt.next_ticks()) is not None:
            self._live.hold, self._live.planned = hunt.words, hunt.planned
            self._train_end_sample, self._stimuli_before = None, self._live.stimuli
            self._bench.stimulus.configure(hunt.search.train(interval_ticks))
            self._bench.stimulus.start()
            fetcher = CaptureFetcher(self._bench.stimulus)
            try:
                self._collect(fetcher, stop)
            finally:
                hunt.end_hold(self._end_train(fetcher))
        self._live.hold = ""
        if not stop.is_set():
            self._live.planned = self._live.stimuli

    def _collect_by_target(self, source: TargetClocked, stop: threading.Event) -> None:
        live, rate_hz = self._live, self._settings.sample_rate_hz
        periods_end = PeriodsEnd(source, rate_hz, self._timeout_samples, live.samples)
        triggers_end = TriggersEnd(source, rate_hz, self._timeout_samples, live.samples)
        while not (
            triggers_end.reached(live.stimuli, live.last_stimulus_sample, live.samples)
            if live.periods is None
            else periods_end.reached(live.periods, live.samples)
        ):
            if stop.is_set():
                self._end_target()
                return
            self._read()

    def _collect_inside(self, inside: SelfMeasurement, stop: threading.Event) -> None:
        """Until the target has its values, and what it wrote on the pins has been seen."""
        while not stop.is_set() and not self._bench.target.ended(AWAIT_MS):
            self._read()
        self._summary = self._bench.target.stop()
        self._read_behind(
            self._summary.handled
            if inside.spins
            else inside.pin_writes(self._settings.agent, self._summary.records)
        )
        last = self._live.samples + self._timeout_samples
        while self._live.samples < last and not self._capture_ended:
            self._read()

    def _end_target(self) -> None:
        """The target goes on by itself: it stops first, and its last answers are still recorded."""
        self._summary = self._bench.target.stop()
        self._read_behind(self._summary.records)

    def _read_behind(self, edges: int) -> None:
        """The host may be behind the target: read on until it has seen so many edges."""
        live = self._live
        patience = self._timeout_samples + GRACE_S * self._settings.sample_rate_hz
        last = live.samples + patience
        while live.answers + live.stimuli < edges and live.samples < last:
            if self._capture_ended:
                return
            self._read()

    def _all_seen(self, fetcher: CaptureFetcher) -> bool:
        """The train is over and every answer to it has had its time."""
        live = self._live
        if not fetcher.done.is_set():
            return False
        if self._train_end_sample is None:
            self._train_end_sample = live.samples
        if live.stimuli - self._stimuli_before >= fetcher.sent:
            return live.samples >= live.last_stimulus_sample + self._timeout_samples
        patience = self._timeout_samples + self._grace_samples
        return live.samples >= self._train_end_sample + patience

    def _read(self) -> None:
        """Take one item from the analyzer into the run file. Raises BenchError at its end."""
        item = self._bench.analyzer.read(READ_S)
        match item:
            case EdgeBlock():
                self._writer.edges(item)
                self._live.add(item)
                if self._hunt is not None:
                    self._hunt.add(item)
                self._live.backlog = self._bench.analyzer.backlog
                if self._live.flow is not None:
                    self._windows.add(item, self._live.take_notable())
            case Loss():
                self._writer.loss(item)
                self._live.losses += 1
            case CaptureEnd():
                self._capture_ended = True
                self._ending.report["samples"] = item.samples
                if not item.asked:
                    raise BenchError(
                        f"the analyzer stopped after {item.samples} samples without being asked; "
                        "check its cable and power"
                    )
            case None:
                self._writer.flush_when_due()  # what came before it went quiet must not wait
                self._bench.check()
        self._on_progress(self._live)

    def _finish(self, fetcher: CaptureFetcher | None) -> None:
        """Stop everything and take what it still has; a failure here does not stop the rest."""
        steps: list[Callable[[], None]] = [self._stop_analyzer]
        if fetcher is not None:
            steps.append(partial(self._stop_stimulus, fetcher))
        with_train = self._settings.train is not None
        if fetcher is not None or (self._armed and not with_train):
            steps.append(self._stop_target)
        for step in steps:
            try:
                step()
                self._writer.flush()  # the next instrument may take long to answer
            except RigError as error:
                self._ending.fail(self._bench.cause_of(error))

    def _end_train(self, fetcher: CaptureFetcher) -> StimulusStatus:
        """Stop it, if it still runs, and take what was captured of it."""
        if not fetcher.done.is_set():
            with contextlib.suppress(RigError):  # a port that is gone is reported by `finish`
                self._bench.stimulus.abort()
        try:
            return fetcher.finish()
        finally:
            self._writer.captures(fetcher.take())

    def _stop_stimulus(self, fetcher: CaptureFetcher) -> None:
        status = self._end_train(fetcher)
        self._ending.report.update(
            {
                "sent": status.sent,
                "stimulus_late": status.late,
                "stimulus_late_max_ticks": status.late_max_ticks,
                "capture_overruns": status.capture_overruns,
            }
        )

    def _stop_analyzer(self) -> None:
        if not self._capture_ended:
            self._bench.analyzer.stop()
        while not self._capture_ended:
            self._read()
        backlog = self._bench.analyzer.backlog
        self._ending.report.update(
            {
                "backlog_max_ns": backlog.max_ns,
                "backlog_max_sample": backlog.max_sample,
                "driver_held_ns": backlog.held_ns,
            }
        )

    def _stop_target(self) -> None:
        if self._hunt is not None:
            self._ending.report.update(self._hunt.report)
        summary = self._summary or self._bench.target.stop()
        first = 0
        while first < summary.records:
            rows = self._bench.target.log(first, LOG_CHUNK)
            if not len(rows):
                raise BenchError(
                    f"the target's log ends at record {first} of {summary.records}; "
                    "check the agent and its link"
                )
            self._writer.log(rows)
            first += len(rows)
        self._ending.report.update(
            {"handled": summary.handled, "log_dropped": summary.dropped, **summary.further}
        )
