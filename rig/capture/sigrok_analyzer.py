# SPDX-License-Identifier: GPL-3.0-or-later
"""A logic analyzer read by any libsigrok driver, in a worker process."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import deque
from collections.abc import Mapping
from typing import TypeGuard

from rig.capture import frames, worker
from rig.capture.analyzers import AnalyzerSettings, FoundAnalyzer
from rig.capture.drivers import refuse_too_fast, traits_of
from rig.capture.emulated_usb import EMULATED_BY, resolved
from rig.capture.sigrok import OptionValue
from rig.capture.worker_link import Frame, Gone, Message, Warned, WorkerLink
from rig.closing import Closing
from rig.errors import BenchError
from rig.instruments import AnalyzerIdentity, Backlog, CaptureEnd, CaptureItem, Loss, LossKind

_ANSWER_S = 20.0
"""The time to open or start: a driver that uploads firmware waits seconds for the device."""
_STOP_S = 5.0
_MAX_WARNINGS = 100


class SigrokAnalyzer(Closing):
    """Implements rig.instruments.Analyzer.

    Edges wait in the pipe until they are read: a slow reader slows the driver down, and a real
    analyzer may then lose samples; memory does not grow. After CaptureEnd, `start` begins a new
    capture from sample 0, unless the worker has died.
    """

    def __init__(self, link: WorkerLink, stall_timeout_s: float, flow_control: bool) -> None:
        """Use `open`. Raises BenchError if the worker cannot open the device."""
        self._link = link
        self._driver = link.spec.driver
        self._traits = traits_of(self._driver)
        self._held_limit_ns = sys.maxsize if flow_control else self._traits.held_limit_ns
        self._stall_timeout_s = stall_timeout_s
        self._inbox: deque[Message] = deque()
        self._items: deque[CaptureItem] = deque()
        self._first_warning = self._last_warning = ""
        self._warnings = 0
        self._samples = 0
        self._running = False
        self._asked = False
        self._ended_why = ""
        """Why the worker was ended, if it was."""
        self._captures = 0
        self._last_samples_s = 0.0
        self._backlog, self._held_told_ns = Backlog(), 0
        self.identity = _identity(self._answer(frames.FrameKind.IDENTITY, "opening"))

    @classmethod
    def open(
        cls,
        driver: str,
        conn: str,
        *,
        sample_rate_hz: int,
        channels: int,
        channel_mask: int,
        options: Mapping[str, OptionValue],
        stall_timeout_s: float,
        flow_control: bool = False,
    ) -> SigrokAnalyzer:
        """Start the worker and wait until it has opened the device.

        `channels` is asked of drivers that let their number be chosen; only the channels in
        `channel_mask` are enabled; `options` are further driver options by their libsigrok names.
        No sample for `stall_timeout_s` while a capture runs is a stall. With `flow_control` the
        source of samples waits for the host, so that a slow host loses none.

        Call it from a thread that outlives the analyzer: the kernel ends the worker with it.
        Raises BenchError with libsigrok's own words.
        """
        refuse_too_fast(driver, sample_rate_hz, channel_mask)
        conn, environment = resolved(conn)
        spec = worker.WorkerSpec(
            parent_pid=os.getpid(),
            driver=driver,
            conn=conn,
            sample_rate_hz=sample_rate_hz,
            channels=channels,
            channel_mask=channel_mask,
            options=dict(options),
        )
        link = WorkerLink(spec, environment)
        try:
            return cls(link, stall_timeout_s, flow_control)
        except BaseException as error:
            link.close()
            if environment and isinstance(error, BenchError):
                raise BenchError(f"{error}; {EMULATED_BY}") from error
            raise

    @property
    def worker_pid(self) -> int:
        """Process id of the capture worker."""
        return self._link.pid

    @property
    def backlog(self) -> Backlog:
        """The backlog of the capture that runs, or of the last one."""
        return self._backlog

    def start(self) -> None:
        """Begin sampling. Raises BenchError if the driver refuses or the worker has died."""
        if self._ended_why:
            raise BenchError(self._ended_why)
        if self._captures and self._traits.one_capture_per_worker:
            self._link.close()
            self._link = self._link.again()
            self._answer(frames.FrameKind.IDENTITY, "opening")
        self._captures += 1
        self._link.receive(0)  # what was warned of before is no sign of loss in this capture
        self._inbox.clear()
        self._items.clear()
        self._samples, self._warnings = 0, 0
        self._first_warning = self._last_warning = ""
        self._backlog, self._held_told_ns = Backlog(), 0
        self._running, self._asked = True, False
        self._link.send(worker.START)
        self._answer(frames.FrameKind.STARTED, "starting")
        self._last_samples_s = time.monotonic()

    def read(self, timeout_s: float) -> CaptureItem | None:
        """Next item, or None if none came in time. After CaptureEnd it returns None at once."""
        deadline_s = time.monotonic() + timeout_s
        while not self._items and self._running:
            patience_s = _STOP_S if self._asked else self._stall_timeout_s
            wake_s = min(deadline_s, self._last_samples_s + patience_s)
            message = self._next_message(wake_s - time.monotonic())
            if message is not None:
                self._handle(message)
            if self._inbox or not self._running:
                continue
            # Warnings alone do not count as life, and a reader that was away looks first.
            if time.monotonic() >= self._last_samples_s + patience_s:
                self._give_up(patience_s)
            elif message is None and time.monotonic() >= deadline_s:
                break
        return self._items.popleft() if self._items else None

    def stop(self) -> None:
        """Ask for the end; keep reading until CaptureEnd. Returns at once.

        The driver drops samples that are still on their way: stop once all that matters was read.
        """
        if self._running and not self._asked:
            self._asked = True
            self._last_samples_s = time.monotonic()
            self._link.send(worker.STOP)

    def close(self) -> None:
        """End the worker, by force if need be. May be called twice."""
        self._running = False
        self._items.clear()
        self._link.close()

    def _next_message(self, timeout_s: float) -> Message | None:
        if not self._inbox:
            self._inbox.extend(self._link.receive(timeout_s))
        return self._inbox.popleft() if self._inbox else None

    def _answer(self, kind: frames.FrameKind, doing: str) -> str:
        """Return the text of the answer waited for. Raises BenchError."""
        deadline_s = time.monotonic() + _ANSWER_S
        while (left_s := deadline_s - time.monotonic()) > 0:
            message = self._next_message(left_s)
            if isinstance(message, Frame) and message.kind == kind:
                return message.text
            if isinstance(message, Gone) or _is_error(message):
                self._running = False
                raise BenchError(self._explained(message.text))
            if message is not None:
                self._handle(message)
        self._running = False
        self._link.kill()
        raise BenchError(
            self._explained(
                f"{self._driver}: no answer within {_ANSWER_S:.0f} s of {doing}: "
                "disconnect the analyzer, connect it again, and try once more"
            )
        )

    def _explained(self, text: str) -> str:
        """Add what the driver warned of: the first is mostly the cause, the last is nearest."""
        told = dict.fromkeys(each for each in (self._first_warning, self._last_warning) if each)
        return f"{text} [{'; '.join(told)}]" if told else text

    def _handle(self, message: Message) -> None:
        if isinstance(message, Warned):
            self._warn(message.text)
        elif isinstance(message, Gone):
            self._end(Loss(LossKind.DRIVER_DIED, self._samples, self._explained(message.text)))
        elif message.kind == frames.FrameKind.BLOCK:
            self._take_block(message.payload)
        elif message.kind == frames.FrameKind.SHORT:
            self._items.append(Loss(LossKind.SHORT_COUNT, self._samples, message.text))
        elif message.kind == frames.FrameKind.ERROR:
            self._end(Loss(LossKind.DRIVER_DIED, self._samples, message.text))
        elif message.kind == frames.FrameKind.END and self._running:
            unasked = (
                f"{self._driver}: the capture ended without a stop request: "
                f"{self._traits.end_unasked}"
            )
            self._end(None if self._asked else Loss(LossKind.END_UNASKED, self._samples, unasked))

    def _take_block(self, payload: bytearray) -> None:
        try:
            block, way = frames.unpack_block(payload)
        except frames.FrameError as error:
            self._cut_off(LossKind.DRIVER_DIED, str(error))
            return
        if block.start_sample != self._samples:
            text = f"samples from {block.start_sample} on after sample {self._samples}"
            self._cut_off(LossKind.SEQUENCE_GAP, text)
            return
        self._note_backlog(way)
        if block.end_sample > self._samples:
            self._samples = block.end_sample
            self._last_samples_s = time.monotonic()
            self._items.append(block.unpacked())

    def _cut_off(self, kind: LossKind, what: str) -> None:
        """End the capture, as what the worker sends cannot be trusted any more."""
        self._kill(kind, f"the capture process was ended, as it sent {what}")

    def _note_backlog(self, way: frames.FrameTiming) -> None:
        last, now_ns = self._backlog, max(0, time.monotonic_ns() - way.sent_ns)
        highest = (last.max_ns, last.max_sample)
        if now_ns > last.max_ns:
            highest = (now_ns, self._samples)
        self._backlog = Backlog(now_ns, *highest, max(last.held_ns, way.held_ns))
        # Told once, and again whenever it has become twice as bad.
        if way.held_ns > max(self._held_limit_ns, 2 * self._held_told_ns):
            self._held_told_ns = way.held_ns
            text = (
                f"{self._driver}: the driver had to wait {way.held_ns / 1e9:.1f} s for this "
                "computer; the analyzer may have lost samples: give it less else to do"
            )
            self._items.append(Loss(LossKind.BACKLOG, self._samples, text))

    def _warn(self, text: str) -> None:
        self._first_warning = self._first_warning or text
        self._last_warning = text
        self._warnings += 1
        if self._running and self._warnings <= _MAX_WARNINGS:
            if self._warnings == _MAX_WARNINGS:
                text += " (further driver warnings of this capture are not listed)"
            self._items.append(Loss(LossKind.LOG_WARNING, self._samples, text))

    def _give_up(self, patience_s: float) -> None:
        """End the capture of a driver that has gone silent."""
        since = "after the stop request" if self._asked else "while capturing"
        text = (
            f"{self._driver}: nothing came for {patience_s:g} s {since}; the driver was ended: "
            "check the analyzer's cable"
        )
        self._kill(LossKind.STALL, text)

    def _kill(self, kind: LossKind, why: str) -> None:
        """End the worker, and with it the capture."""
        self._ended_why = why
        self._link.kill()
        self._end(Loss(kind, self._samples, why))

    def _end(self, loss: Loss | None) -> None:
        if loss is not None:
            self._items.append(loss)
        self._items.append(CaptureEnd(self._samples, self._asked))
        self._running = False


class Libsigrok:
    """Implements rig.capture.analyzers.AnalyzerKind for every driver of libsigrok."""

    datasheet = None
    """The data sheets are tables by driver: rig/analysis/uncertainty/analyzers.py."""

    def open(
        self, settings: AnalyzerSettings, *, channel_mask: int, waits_for_host: bool
    ) -> SigrokAnalyzer:
        """Open an analyzer as `SigrokAnalyzer.open`."""
        return SigrokAnalyzer.open(
            driver=settings.driver,
            conn=settings.connection,
            sample_rate_hz=settings.sample_rate_hz,
            channels=settings.channels,
            channel_mask=channel_mask,
            options=settings.options,
            stall_timeout_s=settings.stall_timeout_ps / 1e12,
            flow_control=waits_for_host,
        )

    def found(self) -> tuple[FoundAnalyzer, ...]:
        """Return none: `rig doctor` uses usb_analyzers.py and scan.py for libsigrok's analyzers."""
        return ()


LIBSIGROK = Libsigrok()


def _is_error(message: Message | None) -> TypeGuard[Frame]:
    return isinstance(message, Frame) and message.kind == frames.FrameKind.ERROR


def _identity(text: str) -> AnalyzerIdentity:
    """Return the identity of the worker's JSON, with its types checked."""
    fields = json.loads(text)
    return AnalyzerIdentity(
        driver=str(fields["driver"]),
        vendor=str(fields["vendor"]),
        model=str(fields["model"]),
        library=str(fields["library"]),
        sample_rate_hz=int(fields["sample_rate_hz"]),
        channels=tuple(str(name) for name in fields["channels"]),
        sample_rates_hz=tuple(int(rate) for rate in fields.get("sample_rates_hz", ())),
    )
