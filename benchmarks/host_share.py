# SPDX-License-Identifier: GPL-3.0-or-later
"""What the host takes of a core while it records at 24 MS/s, against `sigrok-cli -O binary`.

Both read the same virtual analyzer, a process of its own that sends samples as time passes, by the
same driver, in turns, for the same time. The host is everything between driver and run file:
worker, edges, live figures, windows, HDF5. Processor times are those that the system counts for
whole processes; sigrok-cli's samples go to /dev/null, which costs it least.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

from rig.capture.sigrok_analyzer import SigrokAnalyzer
from rig.config.fixture import load_fixture
from rig.config.plan import load_plan
from rig.instruments import EdgeBlock
from rig.measurements.stored_settings import settings_to_json
from rig.record.writer import RunWriter
from rig.recording.live import LivePairs, LiveSummary
from rig.session.live_windows import LiveWindows
from rig.session.settings import settings_of
from rig.virtual.analyzer import VirtualAnalyzer

RATE_HZ = 24_000_000
TARGET_HZ = 10**9
STIMULUS_HZ = 16_000_000
CHANNELS = 8
RUN_S = 6
STEP_MS = 5
"""Samples are sent this often: a USB analyzer's transfers are about as long."""
ROUNDS = 3
MS_PS = 10**9


def shares(folder: Path) -> tuple[float, float]:
    """Of a core, the host's and sigrok-cli's, the best of some rounds each."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.host_share", "source"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as source:
        assert source.stdout is not None
        port = int(source.stdout.readline())
        host, peer = [], []
        for number in range(ROUNDS):
            peer.append(sigrok_share(port))
            host.append(host_share(port, folder / f"share-{number}.h5"))
        assert source.stdin is not None
        source.stdin.close()
    return min(host), min(peer)


def lines(folder: Path) -> Iterator[str]:
    """One line: both shares and their ratio."""
    host, peer = shares(folder)
    yield (
        f"host             {100 * host:.1f} % of a core from driver to run file at "
        f"{RATE_HZ // 10**6} MS/s and 1,000 interrupts/s; "
        f"sigrok-cli -O binary {100 * peer:.1f} %: {host / peer:.2f} times"
    )


def sigrok_share(port: int) -> float:
    """Processor time of sigrok-cli a second of capture."""
    before = os.times()
    command = (
        *("sigrok-cli", "-d", f"beaglelogic:conn=tcp-raw/127.0.0.1/{port}:logic_channels=8"),
        *("-c", f"samplerate={RATE_HZ}", "-O", "binary", "-o", os.devnull),
        *("--time", str(1000 * RUN_S)),
    )
    subprocess.run(command, check=True, capture_output=True)
    after = os.times()
    took_s = after.children_user - before.children_user
    return (took_s + after.children_system - before.children_system) / RUN_S


def host_share(port: int, path: Path) -> float:
    """The same of a process that records, and of its worker."""
    command = [sys.executable, "-m", "benchmarks.host_share", "host", str(port), str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout))


def record(port: int, path: Path) -> float:
    """Do what a run does with samples; processor time a second, without start and end."""
    plan, fixture = load_plan("interrupt"), load_fixture("virtual")
    settings = settings_of(plan, fixture, RATE_HZ, STIMULUS_HZ, TARGET_HZ)
    timeout_samples = plan.response.timeout_ps * RATE_HZ // 10**12
    live = LiveSummary(10**6, RATE_HZ)
    live.figures = LivePairs(settings, timeout_samples)
    names = [f"D{number}" for number in range(CHANNELS)]
    windows = LiveWindows(path.with_suffix(".windows"), settings, names, timeout_samples)
    texts = {"plan": plan.text, "fixture": fixture.text, "calibration": ""}
    with (
        RunWriter(path, texts, settings_to_json(settings)) as writer,
        SigrokAnalyzer.open(
            "beaglelogic",
            f"tcp-raw/127.0.0.1/{port}",
            sample_rate_hz=RATE_HZ,
            channels=CHANNELS,
            channel_mask=fixture.channel_mask,
            options={},
            stall_timeout_s=5,
        ) as analyzer,
    ):
        pids = (os.getpid(), analyzer.worker_pid)
        analyzer.start()
        begun_s: float | None = None
        while live.samples < (RUN_S + 1) * RATE_HZ:
            item = analyzer.read(0.1)
            if isinstance(item, EdgeBlock):
                writer.edges(item)
                live.add(item)
                live.backlog = analyzer.backlog
                windows.add(item, live.figures.take_notable())
            if begun_s is None and live.samples >= RATE_HZ:
                begun_s, first = sum(map(processor_s, pids)), live.samples
        assert begun_s is not None
        took_s = sum(map(processor_s, pids)) - begun_s
        share = took_s * RATE_HZ / (live.samples - first)
        analyzer.stop()
        while analyzer.read(1) is not None:
            pass
    return share


def processor_s(pid: int) -> float:
    """User and system time of a process so far, of all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def send() -> None:
    """Be the analyzer: 1,000 interrupts a second, until standard input ends."""
    analyzer = VirtualAnalyzer(CHANNELS)
    print(analyzer.port, flush=True)
    Thread(target=_serve, args=(analyzer,), daemon=True).start()
    select.select([sys.stdin], [], [])


def _serve(analyzer: VirtualAnalyzer) -> None:
    now_ps, number = 0, 0
    while True:
        while not analyzer.streaming:
            time.sleep(0.002)
        start_s, first_ps, number = time.monotonic(), now_ps, 0
        while analyzer.streaming:
            edges = []
            for step in range(STEP_MS):
                number += 1
                edges += interrupt(now_ps + step * MS_PS, number)
            now_ps += STEP_MS * MS_PS
            analyzer.emit(edges, now_ps)
            analyzer.flush()
            ahead_s = start_s + (now_ps - first_ps) / 1e12 - time.monotonic()
            time.sleep(max(0.0, ahead_s))


def interrupt(at_ps: int, number: int) -> list[tuple[int, int, int]]:
    """Edges of a stimulus of 20 us, its answer, and the low bits of the answer's number."""
    pulse = at_ps + MS_PS // 10
    answer = pulse + 4_500_000
    changed = number ^ (number - 1)
    low_bits = [
        (answer + 50_000 * (bit + 1), 2 + bit, number >> bit & 1)
        for bit in range(3)
        if changed >> bit & 1
    ]
    return [(pulse, 0, 1), (answer, 1, number & 1), *low_bits, (pulse + 20_000_000, 0, 0)]


if __name__ == "__main__":
    if sys.argv[1] == "source":
        send()
    else:
        print(json.dumps(record(int(sys.argv[2]), Path(sys.argv[3]))))
