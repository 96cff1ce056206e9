# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual bench as a process: `python -m rig.virtual`.

Reads one JSON line with the fixture's text, answers with one JSON line that names the cable ends,
and runs until its standard input closes. A failure is one JSON line too.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

from rig.config.fixture import RESPONSE, STIMULUS, Fixture, parse_fixture
from rig.errors import InputError, RigError
from rig.resources import emulator_binary, firmware_image
from rig.virtual.agent import AgentServer
from rig.virtual.analyzer import VirtualAnalyzer
from rig.virtual.emulator import Emulator
from rig.virtual.target import AnswerWires, ModelledTarget
from rig.virtual.truth import TruthLog
from rig.virtual.world import Parts, World


def main() -> int:
    """Exit code 0 after a clean end, else that of the error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the host decides when the bench ends
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        request = json.loads(sys.stdin.readline())
        fixture = parse_fixture(request["fixture"], request["source"])
        _serve(fixture, stop)
    except RigError as error:
        _say({"error": str(error), "exit_code": error.exit_code})
        return error.exit_code
    return 0


def _serve(fixture: Fixture, stop: threading.Event) -> None:
    virtual = fixture.virtual
    if virtual is None:
        raise InputError(f"{fixture.source}: not a virtual fixture")
    wires = AnswerWires(fixture.channel_of(RESPONSE), fixture.sequence_channels)
    with ExitStack() as stack:
        truth = stack.enter_context(
            TruthLog(Path(virtual.truth_file) if virtual.truth_file else None)
        )
        target = stack.enter_context(
            ModelledTarget(virtual.target, virtual.misbehavior, wires, truth)
        )
        agent = stack.enter_context(
            AgentServer(target, virtual.target.clock_hz, _environment(fixture))
        )
        emulator = stack.enter_context(Emulator.start(emulator_binary(), firmware_image()))
        analyzer = stack.enter_context(
            VirtualAnalyzer(8 if fixture.analyzer.channels == 8 else 14, virtual.analyzer_error_ppb)
        )
        _say(
            {
                "analyzer": f"tcp-raw/127.0.0.1/{analyzer.port}",
                "stimulus": emulator.pty,
                "target": ["127.0.0.1", agent.port],
                "emulator_pid": emulator.pid,
            }
        )
        _stop_with_stdin(stop)
        parts = Parts(emulator, analyzer, target, fixture.channel_of(STIMULUS))
        World(parts, virtual.stimulus_error_ppb, stop).run()
        truth.finish(
            {
                "capture_origin_ps": analyzer.capture_origin_ps,
                "glitches": target.glitches,
                "stimulus_error_ppb": virtual.stimulus_error_ppb,
                "analyzer_error_ppb": virtual.analyzer_error_ppb,
            }
        )


def _environment(fixture: Fixture) -> dict[str, object]:
    return {
        "system": "modelled target of the virtual bench",
        "model": str(fixture.virtual.target.model) if fixture.virtual else "",
    }


def _stop_with_stdin(stop: threading.Event) -> None:
    def wait() -> None:
        # The host never writes again: the end of this stream is the end of the host.
        sys.stdin.read()
        stop.set()

    threading.Thread(target=wait, name="stdin", daemon=True).start()


def _say(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
