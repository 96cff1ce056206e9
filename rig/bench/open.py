# SPDX-License-Identifier: GPL-3.0-or-later
"""A fixture's instruments as one context manager."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace

from rig.bench.target import open_target
from rig.bench.virtual_process import VirtualProcess
from rig.capture.analyzers import analyzer_kind
from rig.capture.drivers import widest_mask
from rig.config.fixture import Fixture
from rig.config.links import TargetLink, TcpLink
from rig.errors import RigError
from rig.instruments import Analyzer, Stimulus, Target
from rig.stimulus.device import SerialStimulus


@dataclass(frozen=True)
class Bench:
    """Three open instruments."""

    analyzer: Analyzer
    stimulus: Stimulus
    target: Target
    virtual: VirtualProcess | None = None
    calibration: str | None = None
    """The text of the calibration that comes with a replayed run; None with live instruments."""

    def check(self) -> None:
        """Check that what is behind the cable ends lives. Raises BenchError if it has died."""
        if self.virtual is not None:
            self.virtual.check()

    def cause_of(self, error: RigError) -> RigError:
        """Return the cause of a cable end's error: what has died behind it, if anything has."""
        if self.virtual is None:
            return error
        return self.virtual.last_error() or error


OpenBench = Callable[[Fixture], AbstractContextManager[Bench]]
"""The function that opens a fixture's instruments; they are closed on every path."""


def open_analyzer(
    fixture: Fixture, conn: str, *, every_channel: bool = False, also_mask: int = 0
) -> Analyzer:
    """Open the fixture's analyzer alone, at this connection, with its wired channels or all.

    Of all channels those that go with the fixture's sample rate; of these at least the wired ones
    and those of `also_mask`.

    Raises BenchError if it does not open.
    """
    settings = replace(fixture.analyzer, connection=conn)
    mask = fixture.channel_mask | also_mask
    if every_channel:
        mask = widest_mask(settings.driver, settings.sample_rate_hz, mask, settings.channels)
    return analyzer_kind(settings.driver).open(
        settings,
        channel_mask=mask,
        waits_for_host=fixture.is_virtual,
    )


@contextmanager
def open_bench(
    fixture: Fixture,
    stop: threading.Event | None = None,
    on_progress: Callable[[str], None] = lambda _text: None,
    *,
    every_channel: bool = False,
    also_mask: int = 0,
) -> Iterator[Bench]:
    """Open all three; close them in reverse order on every path. Raises BenchError, InputError.

    `on_progress` gets what takes long; `stop` ends it. `every_channel`, `also_mask`: see
    `open_analyzer`.
    """
    with ExitStack() as stack:
        virtual = None
        if fixture.is_virtual:
            virtual = stack.enter_context(VirtualProcess(fixture, stop, on_progress))
        if virtual is not None:
            ends = virtual.ends
            conn, port = ends.analyzer, ends.stimulus
            link: TargetLink = TcpLink(*ends.target)
        else:
            conn, port = fixture.analyzer.connection, fixture.stimulus.port
            link = fixture.target.link
        stimulus = stack.enter_context(SerialStimulus.open(port, fixture.stimulus.chip))
        target = stack.enter_context(open_target(link))
        analyzer = stack.enter_context(
            open_analyzer(fixture, conn, every_channel=every_channel, also_mask=also_mask)
        )
        yield Bench(analyzer, stimulus, target, virtual)
