# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual bench as a process: `python -m rig.virtual`.

Reads one JSON line with the fixture's text and whether a guest's parallel port driver takes the
interrupt, answers with one JSON line that names the cable ends, and runs until its standard input
closes. Before it may come lines that tell what takes so long. A failure is one JSON line too.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from rig.capture.analyzers import AnalyzerSettings
from rig.config.fixture import RESPONSE, STIMULUS, TASK, Fixture, parse_fixture
from rig.config.virtual.bench import VirtualGuest, VirtualSettings
from rig.errors import InputError, RigError
from rig.resources import emulator_binary, firmware_image
from rig.virtual.agent import AgentServer
from rig.virtual.analyzer import VirtualAnalyzer
from rig.virtual.answer_pins import AnswerWires
from rig.virtual.delays import DelayLines
from rig.virtual.emulator import Emulator
from rig.virtual.frequency import FrequencyControl
from rig.virtual.jumpers import JumperWires
from rig.virtual.sample_dropper import SampleDropper
from rig.virtual.sampled_lines import SampledLines
from rig.virtual.sampling import UnevenSamples
from rig.virtual.target import ModelledTarget
from rig.virtual.truth import TruthLog
from rig.virtual.usb.analyzer import DsLogicAnalyzer, Fx2Analyzer
from rig.virtual.wired_target import WiredTarget
from rig.virtual.wiring import VirtualWiring
from rig.virtual.world import BenchParts, World

GUEST_SEED = 1
"""The seed of the analyzer's faults: a guest has none of its own."""


def main() -> int:
    """Exit code 0 after a clean end, else that of the error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the host decides when the bench ends
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        request = json.loads(sys.stdin.readline())
        fixture = parse_fixture(request["fixture"], request["source"])
        _serve(fixture, stop, driver_irq=request.get("driver_irq", True))
    except RigError as error:
        _say({"error": str(error), "exit_code": error.exit_code})
        return error.exit_code
    return 0


def _serve(fixture: Fixture, stop: threading.Event, *, driver_irq: bool) -> None:
    virtual = fixture.virtual
    if virtual is None:
        raise InputError(f"{fixture.source}: not a virtual fixture")
    _stop_with_stdin(stop)
    with ExitStack() as stack:
        truth = stack.enter_context(
            TruthLog(Path(virtual.truth_file) if virtual.truth_file else None)
        )
        if isinstance(virtual.target, VirtualGuest):
            virtual = replace(virtual, target=replace(virtual.target, driver_irq=driver_irq))
        behind = _open_target(stack, fixture, virtual, truth, stop)
        chip = fixture.stimulus.chip
        emulator = stack.enter_context(
            Emulator.start(
                emulator_binary(),
                firmware_image(chip.name),
                chip=chip,
                response_delay_cycles=behind.response_delay_cycles,
                line_faults=virtual.serial,
                line_seed=behind.seed,
            )
        )
        analyzer = stack.enter_context(_open_analyzer(fixture.analyzer, virtual))
        _say(
            {
                "analyzer": analyzer.connection,
                "stimulus": emulator.pty,
                "target": ["127.0.0.1", behind.agent_port],
                "emulator_pid": emulator.pid,
            }
        )
        dropper = SampleDropper(analyzer, virtual.misbehavior, behind.seed)
        wiring = VirtualWiring(virtual.wiring)
        channel = fixture.channel_of(STIMULUS)
        delays = DelayLines(virtual.delays)
        jumpers = JumperWires(virtual.jumpers, channel, fixture.channel_of(RESPONSE))
        samples = UnevenSamples(virtual.sampling)
        parts = BenchParts(
            emulator=emulator,
            clock_hz=chip.clock_hz,
            analyzer=analyzer,
            target=behind.target,
            dropper=dropper,
            stimulus_channel=channel,
            wiring=wiring,
            delays=delays,
            jumpers=jumpers,
            samples=samples,
        )
        World(parts, virtual.stimulus_error_ppb, stop, virtual.stimulus_drift_ppb_per_s).run()
        truth.finish(
            {
                "capture_origin_ps": analyzer.capture_origin_ps,
                "glitches": behind.glitches(),
                "drops": [asdict(drop) for drop in analyzer.drops],
                "stimulus_error_ppb": virtual.stimulus_error_ppb,
                "analyzer_error_ppb": virtual.analyzer_error_ppb,
                "stimulus_drift_ppb_per_s": virtual.stimulus_drift_ppb_per_s,
                "analyzer_drift_ppb_per_s": virtual.analyzer_drift_ppb_per_s,
            }
        )


def _open_analyzer(analyzer: AnalyzerSettings, virtual: VirtualSettings) -> SampledLines:
    """The analyzer that the fixture's driver reads."""
    errors = (
        virtual.analyzer_error_ppb,
        virtual.analyzer_drift_ppb_per_s,
        virtual.wiring.analyzer_rate_hz,
    )
    if analyzer.driver == "fx2lafw":
        return Fx2Analyzer(analyzer.channels, *errors, settings=virtual.usb)
    if analyzer.driver == "dreamsourcelab-dslogic":
        return DsLogicAnalyzer(analyzer.channels, *errors, settings=virtual.usb)
    return VirtualAnalyzer(8 if analyzer.channels == 8 else 14, *errors)


@dataclass(frozen=True)
class _Behind:
    """The target behind the cable ends."""

    target: WiredTarget
    agent_port: int
    response_delay_cycles: int
    seed: int
    glitches: Callable[[], int]


def _open_target(
    stack: ExitStack,
    fixture: Fixture,
    virtual: VirtualSettings,
    truth: TruthLog,
    stop: threading.Event,
) -> _Behind:
    """Modelled or guest; the stack closes it."""
    task = fixture.channel_of(TASK) if fixture.has_signal(TASK) else None
    wires = AnswerWires(fixture.channel_of(RESPONSE), fixture.sequence_channels, task)
    settings = virtual.target
    if isinstance(settings, VirtualGuest):
        from rig.virtual.guest.image import build_image  # only a guest pays for loading them
        from rig.virtual.guest.target import RESPONSE_DELAY_CYCLES, GuestTarget

        image = build_image(settings, stop, _progress)
        trigger = fixture.channel_of(STIMULUS) if settings.self_trigger else None
        guest = stack.enter_context(GuestTarget.boot(image, wires, stop, _progress, trigger))
        return _Behind(guest, guest.port, RESPONSE_DELAY_CYCLES, GUEST_SEED, lambda: 0)
    cores = virtual.cores_ahead_ps
    target = stack.enter_context(ModelledTarget(settings, virtual.misbehavior, wires, truth, cores))
    environment: dict[str, object] = {
        "system": "modelled target of the virtual bench",
        "model": str(settings.model),
        "cpus": [{"cpu": number} for number in range(len(cores))],
    }
    frequency = FrequencyControl(virtual.frequency, len(cores), target.set_counter_rate)
    agent = stack.enter_context(AgentServer(target, settings.clock_hz, environment, frequency))
    return _Behind(target, agent.port, 0, settings.seed, lambda: target.glitches)


def _stop_with_stdin(stop: threading.Event) -> None:
    def wait() -> None:
        # The host never writes again: the end of this stream is the end of the host.
        sys.stdin.read()
        stop.set()

    threading.Thread(target=wait, name="stdin", daemon=True).start()


def _progress(text: str) -> None:
    _say({"progress": text})


def _say(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
