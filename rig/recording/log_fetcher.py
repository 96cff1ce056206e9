# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the target's log while it is written, on a thread of its own, so that a short log will do.

An agent that lets its log be read meanwhile writes over what the host has read.
"""

from __future__ import annotations

import threading
from dataclasses import replace

from rig.errors import RefusedError, RigError
from rig.instruments import ArmOptions, LogArray, Target

POLL_S = 0.2
"""The interval at which the target is asked for what it has logged meanwhile."""
AT_A_TIME = 1 << 13
"""Records of one exchange, 320 KiB: the target's other lines do not wait long."""
LONGEST = 1 << 20
"""Records of a log that is streamed, 40 MiB: more would be taken from the target for nothing."""
SHORTEST_S = 2
"""The time that such a log must hold at least."""
RECORD_BYTES = 40


def fitted_log(target: Target, asked: ArmOptions, planned: int, duration_s: float) -> ArmOptions:
    """Return what the target is to be armed with: its log as asked for if there is room, else one
    that is streamed.

    `planned` events take `duration_s`, 0 where nobody knows it. Raises RefusedError in one line if
    the target cannot be armed so, or its log can neither be as long nor be streamed, with the
    number of events that are possible.
    """
    room = target.check(asked)
    if room is None or asked.capacity <= room.records:
        return asked
    per_s = asked.capacity / duration_s if duration_s else 0.0
    capacity = min(room.records, LONGEST)
    can = _possible(asked, planned, room.records)
    if not room.streams:
        raise RefusedError(f"{can}, and this one cannot be read while it is written")
    if per_s * SHORTEST_S > capacity:
        raise RefusedError(f"{can}; that is less than {SHORTEST_S} s of them")
    if room.bytes_per_s is not None and per_s * RECORD_BYTES > room.bytes_per_s:
        raise RefusedError(
            f"{can}; read while it is written it would be {per_s * RECORD_BYTES / 1000:,.0f} kB/s, "
            f"and the link carries {room.bytes_per_s / 1000:,.0f} kB/s"
        )
    return replace(asked, capacity=capacity, stream=True)


def _possible(asked: ArmOptions, planned: int, records: int) -> str:
    """Return how many events the log has room for, in words."""
    events = records * planned // asked.capacity
    return (
        f"a log of {asked.capacity:,} records for {planned:,} events does not fit the target: "
        f"it has room for {records:,} records, which is {events:,} events (--count {events})"
    )


class LogFetcher:
    """Collects records of a log that is being written until `finish`."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._lock = threading.Lock()
        self._parts: list[LogArray] = []
        self._stop = threading.Event()
        self.fetched = 0
        """Records read so far."""
        self._error: RigError | None = None
        self._thread = threading.Thread(target=self._run, name="log fetcher", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                if self._fetch() < AT_A_TIME:
                    self._stop.wait(POLL_S)
        except RigError as error:
            self._error = error

    def _fetch(self) -> int:
        rows = self._target.log(self.fetched, AT_A_TIME)
        self.fetched += len(rows)
        with self._lock:
            self._parts.append(rows)
        return len(rows)

    def take(self) -> list[LogArray]:
        """Return the records read since the last call. Raises RigError once reading has failed."""
        with self._lock:
            parts, self._parts = self._parts, []
        if self._error is not None and not parts:
            raise self._error
        return [part for part in parts if len(part)]

    def finish(self) -> None:
        """End the thread; what it has read can still be taken. May be called twice."""
        self._stop.set()
        self._thread.join()
