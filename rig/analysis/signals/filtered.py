# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's edges without glitches."""

from __future__ import annotations

from collections.abc import Iterator

from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.signals.glitch import GlitchFilter
from rig.instruments import EdgeBlock


def filtered(raw: RawRun, settings: Settings) -> tuple[Iterator[EdgeBlock], GlitchFilter]:
    """The blocks, once, and the filter that counts what it sets aside of them."""
    glitch = GlitchFilter(settings.glitch_samples)

    def blocks() -> Iterator[EdgeBlock]:
        for block in raw.edge_blocks():
            yield glitch.feed(block)
        yield glitch.finish()

    return blocks(), glitch
