# SPDX-License-Identifier: GPL-3.0-or-later
"""The [limits] table of a plan, and those of its scenarios. docs/reference/plans.md explains it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rig.analysis.model.settings import LIMIT_FIELDS
from rig.errors import nearest
from rig.limit_names import COUNTS, FREE_BY_DEFAULT, NONE_BY_DEFAULT, STATISTICS, split
from rig.toml.reader import TomlTable

_TIME_MAX_PS = 60 * 10**12
_COUNT_MAX = 2**32 - 1
_SCENARIO = "[a-z0-9][a-z0-9-]{0,63}"


def parse_limits(table: TomlTable, measurands: Sequence[str], scenario: str) -> dict[str, Any]:
    """Fields of rig.analysis.model.settings.Limits. Raises InputError with file, line and key.

    `table`: [limits]; what [limits.SCENARIO] has goes before it if that is the plan's `scenario`.
    """
    scenarios = {
        key: table.table(key)
        for key, value in table.values.items()
        if isinstance(value, dict) and re.fullmatch(_SCENARIO, key)
    }
    plain = {key: value for key, value in table.values.items() if key not in scenarios}
    found: dict[str, float | None] = {**dict.fromkeys(NONE_BY_DEFAULT, 0)} | _entries(
        TomlTable(table.document, table.path, plain), measurands
    )
    for name, own in scenarios.items():  # others are checked all the same
        entries = _entries(own, measurands)
        if name == scenario:
            found |= entries
    fields: dict[str, Any] = {LIMIT_FIELDS[name]: found.pop(name) for name in LIMIT_FIELDS
                              if name in found}  # fmt: skip
    others = {name: limit for name, limit in found.items() if limit is not None}
    return {**fields, "others": others}


def _entries(table: TomlTable, measurands: Sequence[str]) -> dict[str, float | None]:
    """Name to limit in ns or as a count; None: `"any"`."""
    found: dict[str, float | None] = {}
    for key in table.values:
        if key in COUNTS:
            any_ = table.values[key] == "any"
            found[key] = None if any_ else table.integer(key, 0, _COUNT_MAX, also=', or "any"')
        elif split(key, measurands) is not None:
            any_ = table.values[key] == "any"
            found[key] = None if any_ else _ns(table.time_ps(key, 1, _TIME_MAX_PS))
        else:
            raise _unknown(table, key, measurands)
    return found


def _ns(time_ps: int) -> float:
    """The nearest, as a quotient of two floating-point numbers need not be."""
    return float(Fraction(time_ps, 1000))


def _unknown(table: TomlTable, key: str, measurands: Sequence[str]) -> Exception:
    every = [f"{statistic}_{m}" for m in measurands for statistic in STATISTICS]
    kind = "table" if isinstance(table.values[key], dict) else "key"
    problem = f"unknown {kind}{nearest(key, [*COUNTS, *every])}"
    valid = (
        f"{', '.join((*NONE_BY_DEFAULT, *FREE_BY_DEFAULT))}, or a statistic ("
        f"{', '.join(STATISTICS)}), an underscore and what it is of ({', '.join(measurands)})"
    )
    return table.error(key, problem, valid)
