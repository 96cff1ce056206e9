# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels of a capture by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from rig.errors import InputError, nearest

_NAMES_SHOWN = 32
_SHOWN_MAX = 80
_LOOKED_AT = 10_000
"""Names among which one like a wrong one is looked for: it takes a while."""


def find_channels(
    path: Path, names: Mapping[str, int], by_place: Sequence[int], wanted: Sequence[str]
) -> tuple[int, ...]:
    """The channels that the wanted names mean, in that order.

    `names` are the capture's own; a name that is not among them may be D0, D1, ...: a place in
    `by_place`. Raises InputError listing the valid names, or if two names mean one channel.
    """
    found: dict[int, str] = {}
    for name in wanted:
        channel = _find(path, names, by_place, name)
        if channel in found:
            raise InputError(
                f'{path}: "{found[channel]}" and "{name}" are the same channel; '
                "name a channel for each signal"
            )
        found[channel] = name
    return tuple(found)


def _find(path: Path, names: Mapping[str, int], by_place: Sequence[int], name: str) -> int:
    if name in names:
        return names[name]
    place = re.fullmatch("D(0|[1-9][0-9]{0,5})", name)
    if place is not None and int(place[1]) < len(by_place):
        return by_place[int(place[1])]
    shown = [_cut(known) for known in islice(names, _NAMES_SHOWN)]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    last = f", or D0 to D{len(by_place) - 1} by place" if by_place else ""
    like = nearest(name, islice((known for known in names if len(known) <= _SHOWN_MAX), _LOOKED_AT))
    raise InputError(f"{path}: no channel {name!a}{like}; valid: {', '.join(shown)}{more}{last}")


def _cut(name: str) -> str:
    return name if len(name) <= _SHOWN_MAX else f"{name[: _SHOWN_MAX - 3]}..."
