# SPDX-License-Identifier: GPL-3.0-or-later
"""An event of a run that still goes on: its file holds edges, but no events yet."""

from __future__ import annotations

from gui.models.runs.opened import OpenedRun
from rig.errors import InputError
from rig.streaming.flow import Flow

EDGES_MAX = 1 << 22
"""Looked through at most: less than half a second."""


def find_live_event(run: OpenedRun, event: int) -> tuple[int, int]:
    """Samples of a notable event's edges (a maximum, late, missed), -1 for no answer.

    By the same pass that the live figures come from. Raises InputError if it is not found: it is
    not notable, still undecided, the run too long already, or one without events of its own.
    """
    run.check_shows_events()
    settings = run.settings
    if run.file.edge_count <= EDGES_MAX and settings.schedule is None:
        horizon = settings.sample_rate_hz // 10
        flow = Flow(
            settings.wiring, settings.sample_rate_hz, settings.glitch_samples, horizon, None
        )
        for block in run.file.edge_blocks():
            flow.feed_block(block)
            for notable in flow.take_notable():
                if notable.event == event:
                    return notable.stimulus_sample, notable.response_sample
    raise InputError(f"{run.path}: event {event} can be shown when the run has ended")
