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

import contextlib
import ctypes
import fcntl
import json
import os
import signal
import threading
import time
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal, cast

from rig.capture import frames
from rig.capture.edges import EdgeExtractor, PackedBlock
from rig.capture.sigrok import Context, Device, OptionValue, Session, library_version
from rig.errors import BenchError
from rig.instruments import AnalyzerIdentity

START = b"g"
STOP = b"s"

_FLUSH_S = 0.02
"""Edges and progress wait at most this long to share a frame with others."""
_FLUSH_EDGES = 1 << 16
"""More than this is not kept waiting. With the extractor's blocks of at most 2^20 edges it bounds a
frame, too: 6 MB, below frames.MAX_PAYLOAD_BYTES."""
_JOIN_EDGES = 1 << 12
_PIPE_BYTES = 1 << 20
_ORPHAN_GRACE_S = 0.5
_MAX_SPEC_BYTES = 1 << 16
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class WorkerSpec:
    """What to open, and how."""

    parent_pid: int
    driver: str
    conn: str
    sample_rate_hz: int
    channels: int
    """Asked of drivers that can have several numbers of channels; 0: the driver's own."""
    channel_mask: int
    options: dict[str, OptionValue]


@dataclass
class _Waiting:
    """Blocks that follow each other, on their way out as one frame."""

    block: PackedBlock
    since_ns: int


class Outbox:
    """Frames on their way out, written by a thread of their own.

    Small blocks are joined until they are worth a frame; large ones go out from where they lie. A
    slow reader blocks `put`, and so the driver: memory stays flat.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._changed = threading.Condition()
        self._waiting: list[_Waiting] = []
        self._edges = 0
        self._urgent: list[tuple[frames.Kind, bytes]] = []
        self._writing = False
        self._frames = 0
        self._held_ns = 0
        with contextlib.suppress(OSError):  # a larger pipe is faster; the system's limit may forbid
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        threading.Thread(target=self._write_for_ever, daemon=True).start()

    def put(self, block: PackedBlock) -> None:
        """Send a block soon; waits while too much is under way."""
        came_ns = time.monotonic_ns()
        with self._changed:
            self._changed.wait_for(lambda: self._edges < _FLUSH_EDGES and not self._urgent)
            self._held_ns = max(self._held_ns, time.monotonic_ns() - came_ns)
            last = self._waiting[-1] if self._waiting else None
            if last is not None and _worth_joining(last.block, block):
                last.block = last.block.joined(block)
            else:
                self._waiting.append(_Waiting(block, came_ns))
            self._edges += len(block.code)
            self._changed.notify_all()

    def send(self, kind: frames.Kind, payload: bytes = b"") -> None:
        """Send a frame now, after all blocks before it, and wait until it is in the pipe."""
        with self._changed:
            self._urgent.append((kind, payload))
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._urgent and not self._writing)

    def _write_for_ever(self) -> None:
        while True:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._waiting or self._urgent)
                self._changed.wait_for(
                    lambda: self._urgent or self._edges >= _FLUSH_EDGES, timeout=_FLUSH_S
                )
                waiting, urgent = self._waiting, self._urgent
                self._waiting, self._edges, self._urgent = [], 0, []
                self._writing = True
                self._changed.notify_all()
            for item in waiting:
                way = frames.Way(item.since_ns, self._held_ns)
                self._write(frames.pack_block(item.block, self._frames, way))
            for kind, payload in urgent:
                self._write(frames.pack(kind, self._frames, payload))

    def _write(self, pieces: list[frames.Buffer]) -> None:
        self._frames += 1
        try:
            frames.write_all(partial(os.writev, self._descriptor), pieces)
        except OSError:
            os._exit(1)  # nobody reads any more


def _worth_joining(last: PackedBlock, block: PackedBlock) -> bool:
    """A frame costs as much as copying a few thousand edges; joined offsets must fit 32 bits."""
    few = len(last.code) + len(block.code) <= _JOIN_EDGES
    return few and block.end_sample - last.start_sample < 1 << 32


class Capture:
    """The driver's packets in, blocks out."""

    def __init__(self, outbox: Outbox, channel_mask: int) -> None:
        self._outbox = outbox
        self._mask = channel_mask
        self._unitsize = 0
        self._extractor: EdgeExtractor | None = None

    def begin(self) -> None:
        """The next packet is the first of a new capture."""
        self._extractor = None

    def on_logic(self, unitsize: int, buffer: Any) -> None:
        """A packet of samples. Raises BenchError if its format is not one we can read."""
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
        for block in self._extractor.packed_blocks(buffer):
            self._outbox.put(block)

    def on_end(self) -> None:
        """The driver has ended the capture.

        Sent from here and not after the session, since a driver whose device has vanished may
        never leave the session.
        """
        if self._extractor is not None and self._extractor.partial_bytes:
            text = f"the capture ends within sample {self._extractor.samples}"
            self._outbox.send(frames.Kind.SHORT, text.encode())
        self._outbox.send(frames.Kind.END)


class Commands:
    """The parent's bytes, read by a thread, as the driver may hang in C."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._start = threading.Semaphore(0)
        self._finished = threading.Event()
        self._orphaned = False
        self.session: Session | None = None
        """What STOP stops."""
        threading.Thread(target=self._read_for_ever, daemon=True).start()

    def wait_for_start(self) -> bool:
        """False if the parent is gone."""
        self._start.acquire()
        return not self._orphaned

    def finish(self) -> None:
        """The main thread is on its way out."""
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
    outbox = Outbox(output)
    commands = Commands(0)
    try:
        _serve(spec, outbox, commands)
    except BenchError as error:
        outbox.send(frames.Kind.ERROR, str(error).encode())
    commands.finish()


def _serve(spec: WorkerSpec, outbox: Outbox, commands: Commands) -> None:
    with Context() as context:
        device = Device(context, spec.driver, spec.conn, spec.options, spec.channels)
        device.enable_channels(spec.channel_mask)
        rate_hz = device.set_sample_rate(spec.sample_rate_hz)
        identity = AnalyzerIdentity(
            driver=spec.driver,
            vendor=device.vendor,
            model=device.model,
            library=library_version(),
            sample_rate_hz=rate_hz,
            channels=tuple(name for _, name in device.channels()),
            sample_rates_hz=device.sample_rates(),
        )
        capture = Capture(outbox, spec.channel_mask)
        session = commands.session = Session(context, device, capture.on_logic, capture.on_end)
        outbox.send(frames.Kind.IDENTITY, json.dumps(asdict(identity)).encode())
        while commands.wait_for_start():
            capture.begin()
            session.start()
            outbox.send(frames.Kind.STARTED)
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
