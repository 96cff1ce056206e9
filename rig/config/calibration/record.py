# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings of a calibration's steps, as values.

docs/reference/calibration-file.md explains them.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from rig.config.calibration.names import UNIT_OF

TEXT_MAX = 200
"""The most characters of a text."""
VALUE_MAX = 1e15
"""The largest value, and uncertainty, whatever the unit: nothing on a bench is larger."""
COUNT_MAX = 2**63 - 1
UNITS = ("ns", "s", "ppm", "ppb", "Hz", "V", "samples", "ticks", "B/s", "%", "1")
""" "1" is a number without a unit."""
NAME_PATTERN = "[a-z][a-z0-9_-]{0,39}"
KEY_PATTERN = "[A-Za-z0-9_][A-Za-z0-9_. -]{0,59}"


@dataclass(frozen=True)
class CalibratedQuantity:
    """One value and how well it is known. Raises ValueError for what no file could hold."""

    name: str
    """Its name, such as `channel_skew`; rig/config/calibration/names.py has those a run uses."""
    value: float
    unit: str
    """One of UNITS."""
    standard_uncertainty: float
    """Its standard uncertainty in the same unit, 0 or more."""
    n: int
    """Observations behind it; 0: it was not observed here but told, as by a certificate."""
    subject: str = ""
    """The part of the bench that it is of, such as `D1 rising`."""

    def __post_init__(self) -> None:
        _check_name("name", self.name)
        _check_text("subject", self.subject)
        if self.unit not in units_of(self.name):
            raise ValueError(f"unit is {self.unit!r}; valid: {', '.join(units_of(self.name))}")
        for name, low in (("value", -VALUE_MAX), ("standard_uncertainty", 0.0)):
            number = getattr(self, name)
            if isinstance(number, bool) or not math.isfinite(number):
                raise ValueError(f"{name} is {number!r}, not a finite number")
            if not low <= number <= VALUE_MAX:
                raise ValueError(f"{name} is {number!r}; valid: {low:g} to {VALUE_MAX:g}")
        if type(self.n) is not int or not 0 <= self.n <= COUNT_MAX:
            raise ValueError(f"n is {self.n!r}; valid: an integer, 0 or more")


@dataclass(frozen=True)
class CalibrationRecord:
    """What one step found at one time. Raises ValueError for what no file could hold."""

    step: str
    """The step of the calibration, such as `channel-skew`."""
    date: dt.datetime
    """The time, with its time zone; kept in UTC, in whole seconds."""
    quantities: tuple[CalibratedQuantity, ...] = ()
    conditions: Mapping[str, str] = field(default_factory=dict)
    """The conditions of the finding, for people: temperature, duration, who did it."""
    instruments: Mapping[str, str] = field(default_factory=dict)
    """The instruments that it depends on, as `present_instruments` has them: ports, rates."""
    findings: tuple[str, ...] = ()
    """The findings in words, one line each."""
    valid_until: dt.date | None = None
    """The last day on which it is valid; None: until the bench changes."""

    def __post_init__(self) -> None:
        _check_name("step", self.step)
        if not isinstance(self.date, dt.datetime) or self.date.utcoffset() is None:
            raise ValueError(f"date is {self.date}; valid: a time with its time zone")
        if type(self.valid_until) not in (dt.date, type(None)):
            raise ValueError(f"valid_until is {self.valid_until!r}; valid: a day, or None")
        for name in ("conditions", "instruments"):
            pairs = dict(getattr(self, name))
            for key, text in pairs.items():
                if not re.fullmatch(KEY_PATTERN, key):
                    raise ValueError(f"{name}: {key!r} is no name; valid: {KEY_PATTERN}")
                _check_text(f"{name}: {key}", text)
            object.__setattr__(self, name, MappingProxyType(pairs))
        for text in self.findings:
            _check_text("findings", text)
        object.__setattr__(self, "date", self.date.astimezone(dt.UTC).replace(microsecond=0))

    def quantity(self, name: str, subject: str = "") -> CalibratedQuantity | None:
        """Return the quantity of this name and subject, None if there is none."""
        found = (q for q in self.quantities if (q.name, q.subject) == (name, subject))
        return next(found, None)


@dataclass(frozen=True)
class Calibration:
    """All that was ever found of one fixture's bench."""

    fixture: str
    """Name of the fixture."""
    records: tuple[CalibrationRecord, ...] = ()
    """The records in the order of the file: the oldest first, as each is appended."""

    @property
    def steps(self) -> tuple[str, ...]:
        """Steps that were ever taken, in the order of their first record."""
        return tuple(dict.fromkeys(record.step for record in self.records))

    def newest(self, step: str) -> CalibrationRecord | None:
        """The record that holds; of two of the same second the later in the file."""
        found = self.history(step)
        return max(enumerate(found), key=lambda each: (each[1].date, each[0]))[1] if found else None

    def history(self, step: str) -> tuple[CalibrationRecord, ...]:
        """All records of a step."""
        return tuple(record for record in self.records if record.step == step)

    def current(self) -> tuple[CalibrationRecord, ...]:
        """The newest record of each step."""
        return tuple(filter(None, map(self.newest, self.steps)))


def units_of(name: str) -> tuple[str, ...]:
    """Units that a quantity of this name may have."""
    return (UNIT_OF[name],) if name in UNIT_OF else UNITS


def quantities_named(
    records: Iterable[CalibrationRecord], name: str
) -> dict[str, CalibratedQuantity]:
    """Return the quantities of this name in these records, by subject."""
    return {q.subject: q for record in records for q in record.quantities if q.name == name}


def _check_name(what: str, name: str) -> None:
    if not isinstance(name, str) or not re.fullmatch(NAME_PATTERN, name):
        raise ValueError(f"{what} is {name!r}; valid: small letters, digits, - and _")


def _check_text(what: str, text: str) -> None:
    if not isinstance(text, str) or len(text) > TEXT_MAX or not text.isprintable():
        raise ValueError(
            f"{what} is {str(text)[:40]!a}; valid: up to {TEXT_MAX} printable characters"
        )
