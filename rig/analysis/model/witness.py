# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a comparison of two witnesses of a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Witness:
    """One comparison between two witnesses."""

    name: str
    agrees: bool
    text: str
