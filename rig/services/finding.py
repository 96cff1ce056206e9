# SPDX-License-Identifier: GPL-3.0-or-later
"""A finding of `rig doctor`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DoctorFinding:
    """A finding on one thing that was looked at."""

    what: str
    state: str
    mend: str = ""
    """The remedy; empty if nothing needs doing."""
    needed: bool = True
    """Whether nothing at all can be measured without it."""
    driver: str = ""
    """The driver, libsigrok's, of an analyzer that is there."""
    port: str = ""
    """The device of a serial port."""
    host: str = ""
    """The name of a target that could be asked over ssh."""
