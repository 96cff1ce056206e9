# SPDX-License-Identifier: GPL-3.0-or-later
"""The capture process: `python -m rig.capture.worker`, started by SigrokAnalyzer.

libsigrok runs in a process of its own because a driver can hang or crash in C: this process can be
killed without hurting the measurement. Samples become edges here, so only edges cross the pipe.

Standard input: one line of JSON (WorkerSpec), then single bytes, START or STOP; its end means that
the parent is gone. Standard output: frames (rig.capture.frames). Standard error: libsigrok's
warnings, which its default log handler prints. (A log callback would get a va_list, whose layout
differs from one processor to the next; and a pipe still holds the last words of a crash.)
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import threading
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

from rig.capture import frames
from rig.capture.edges import EdgeExtractor
from rig.capture.frame_sender import FrameSender
from rig.capture.native import gather
from rig.capture.native.gather import Gatherer
from rig.capture.sigrok import OptionValue, Session, SigrokContext, SigrokDevice, library_version
from rig.errors import BenchError
from rig.instruments import AnalyzerIdentity

START = b"g"
STOP = b"s"

_GATHER_EDGES = 1 << 13
"""The most edges of a packet after which the next one is gathered in C, as output needs room."""
_ORPHAN_GRACE_S = 0.5
_MAX_SPEC_BYTES = 1 << 16
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class WorkerSpec:
    """The device to open, and its settings."""

    parent_pid: int
    driver: str
    conn: str
    sample_rate_hz: int
    channels: int
    """The number of channels of drivers that can have several; 0: the driver's own."""
    channel_mask: int
    options: dict[str, OptionValue]


class CaptureSession:
    """A capture that makes blocks of the driver's packets.

    A packet like the one before it is looked at in C, if there is the library for it, and does not
    come here; edges from there are taken before anything that comes here is dealt with.
    """

    def __init__(self, outbox: FrameSender, channel_mask: int) -> None:
        self._outbox = outbox
        self._mask = channel_mask
        self._unitsize = 0
        self._extractor: EdgeExtractor | None = None

    def in_front(self, callback: int) -> tuple[int, int] | None:
        """Return addresses of a callback in place of our own and of its data; see Session."""
        if not gather.available():
            return None
        gatherer = self._outbox.gatherer = Gatherer(self._mask, callback)
        return gatherer.callback, gatherer.data

    def begin(self) -> None:
        """Take the next packet as the first of a new capture."""
        self._outbox.end_gathering()
        self._extractor = None

    def on_logic(self, unitsize: int, buffer: Any) -> None:
        """Take a packet of samples. Raises BenchError if its format is not one we can read."""
        self._take_gathered()
        if self._extractor is None:
            if unitsize not in {1, 2}:
                raise BenchError(
                    f"the driver sends {unitsize} bytes a sample; 1 or 2 can be read: "
                    "enable channels 0 to 15 only"
                )
            self._unitsize = unitsize
            self._extractor = EdgeExtractor(cast(Literal[1, 2], unitsize), self._mask)
        if unitsize != self._unitsize:
            raise BenchError(
                f"the driver changed from {self._unitsize} to {unitsize} bytes a sample "
                f"after sample {self._extractor.samples}"
            )
        edges = 0
        for block in self._extractor.packed_blocks(buffer):
            edges += len(block.code)
            self._outbox.put(block)
        if edges <= _GATHER_EDGES and self._extractor.samples and not self._extractor.partial_bytes:
            self._outbox.begin_gathering(unitsize, self._extractor.samples, self._extractor.levels)

    def _take_gathered(self) -> None:
        taken = self._outbox.end_gathering()
        if taken is not None and self._extractor is not None:
            self._extractor.go_on(*taken)

    def on_end(self) -> None:
        """Report that the driver has ended the capture.

        It is sent from here and not after the session, since a driver whose device has vanished may
        never leave the session.
        """
        self._take_gathered()
        if self._extractor is not None and self._extractor.partial_bytes:
            text = f"the capture ends within sample {self._extractor.samples}"
            self._outbox.send(frames.FrameKind.SHORT, text.encode())
        self._outbox.send(frames.FrameKind.END)


class CommandReader:
    """A reader of the parent's bytes in a thread, as the driver may hang in C."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._start = threading.Semaphore(0)
        self._finished = threading.Event()
        self._orphaned = False
        self.session: Session | None = None
        """The session that STOP stops."""
        threading.Thread(target=self._read_for_ever, daemon=True).start()

    def wait_for_start(self) -> bool:
        """Wait for the start; return False if the parent is gone."""
        self._start.acquire()
        return not self._orphaned

    def finish(self) -> None:
        """Note that the main thread is on its way out."""
        self._finished.set()

    def _read_for_ever(self) -> None:
        while command := os.read(self._descriptor, 1):
            if command == START:
                self._start.release()
            elif command == STOP and self.session is not None:
                self.session.stop()
        if self.session is not None:
            self.session.stop()
        self._orphaned = True
        self._start.release()
        if not self._finished.wait(_ORPHAN_GRACE_S):
            os._exit(1)


def main() -> None:
    """Serve one parent until it closes standard input."""
    output = os.dup(1)
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)  # some drivers print; their words must not land between the frames
    os.close(sink)
    # Unbuffered, so that no command after the line is taken with it.
    with open(0, "rb", buffering=0, closefd=False) as unbuffered:
        line = unbuffered.readline(_MAX_SPEC_BYTES)
    spec = WorkerSpec(**json.loads(line))
    _die_with(spec.parent_pid)
    outbox = FrameSender(output)
    commands = CommandReader(0)
    try:
        _serve(spec, outbox, commands)
    except BenchError as error:
        outbox.send(frames.FrameKind.ERROR, str(error).encode())
    commands.finish()


def _serve(spec: WorkerSpec, outbox: FrameSender, commands: CommandReader) -> None:
    with SigrokContext() as context:
        device = SigrokDevice(context, spec.driver, spec.conn, spec.options, spec.channels)
        device.require_continuous()
        device.enable_channels(spec.channel_mask)
        rate_hz = device.set_sample_rate(spec.sample_rate_hz)
        if rate_hz != spec.sample_rate_hz:
            raise BenchError(
                f"{spec.driver}: samples at {rate_hz} Hz where {spec.sample_rate_hz} Hz was asked "
                "for; give a rate that it has as the analyzer's sample_rate in the fixture"
            )
        identity = AnalyzerIdentity(
            driver=spec.driver,
            vendor=device.vendor,
            model=device.model,
            library=library_version(),
            sample_rate_hz=rate_hz,
            channels=tuple(name for _, name in device.channels()),
            sample_rates_hz=device.sample_rates(),
        )
        capture = CaptureSession(outbox, spec.channel_mask)
        session = commands.session = Session(
            context, device, capture.on_logic, capture.on_end, capture.in_front
        )
        outbox.send(frames.FrameKind.IDENTITY, json.dumps(asdict(identity)).encode())
        while commands.wait_for_start():
            capture.begin()
            session.start()
            outbox.send(frames.FrameKind.STARTED)
            session.run()
        device.close()


def _die_with(parent_pid: int) -> None:
    """Ask the kernel to kill this process when the parent dies, however it dies."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:  # it died before the request
        os._exit(1)


if __name__ == "__main__":
    main()
