# SPDX-License-Identifier: GPL-3.0-or-later
"""Connectors of a board: which pins they have and how those lie."""

from __future__ import annotations

from dataclasses import dataclass

from rig.toml.reader import TomlTable

TWO_ROWS = "two-rows"
"""A pin header: odd pins at the left, even ones at the right, from the top."""
D_SUB = "d-sub"
"""The longer row at the left, pin 1 at the top; the shorter row between it."""
ROW = "row"
"""One row of named pins, from the top; a hyphen is a gap."""
GAP = "-"
PINS_MAX = 100


@dataclass(frozen=True)
class Connector:
    """Pins in a pattern."""

    name: str
    shape: str
    pins: tuple[str, ...]
    """Their names: numbers, or what the board has printed beside them."""
    view: str
    """The way to hold the board so that the picture is right."""
    labels: tuple[str, ...] = ()
    """The pins and gaps of a row, from the top."""

    def place_of(self, pin: str) -> tuple[float, int]:
        """Row from 0 at the top, and column from 0 at the left. Raises ValueError."""
        if self.shape == ROW:
            return float(self.labels.index(pin)), 0
        at = self.pins.index(pin)
        if self.shape == TWO_ROWS:
            return float(at // 2), at % 2
        long = (len(self.pins) + 1) // 2
        return (float(at), 0) if at < long else (at - long + 0.5, 1)

    @property
    def rows(self) -> int:
        """The number of rows of the picture."""
        return len(self.labels) if self.shape == ROW else (len(self.pins) + 1) // 2


def parse_connectors(root: TomlTable) -> tuple[Connector, ...]:
    """The [[connector]] tables. Raises InputError."""
    connectors: list[Connector] = []
    for table in root.tables("connector"):
        connector = _connector(table)
        if any(other.name == connector.name for other in connectors):
            raise table.error("name", f"{connector.name} is there twice", "a name for each")
        connectors.append(connector)
    return tuple(connectors)


def _connector(table: TomlTable) -> Connector:
    parameters = {TWO_ROWS: ("pins",), D_SUB: ("pins",), ROW: ("labels",)}
    shape = table.allow_only_for("shape", parameters, ("name", "view"))
    labels = _labels(table) if shape == ROW else ()
    if shape == ROW:
        pins = tuple(label for label in labels if label != GAP)
    else:
        pins = tuple(str(n) for n in range(1, table.integer("pins", 2, PINS_MAX) + 1))
    return Connector(
        name=table.text("name", pattern="[A-Za-z0-9_-]{1,20}", valid="letters, digits, _ and -"),
        shape=shape,
        pins=pins,
        view=table.text("view", valid="how to hold the board"),
        labels=labels,
    )


def _labels(table: TomlTable) -> tuple[str, ...]:
    valid = 'different names of pins with spaces between, "-" for a gap'
    labels = tuple(table.text("labels", pattern="[A-Za-z0-9_.+ -]+", valid=valid).split())
    pins = [label for label in labels if label != GAP]
    if not pins or len(set(pins)) < len(pins):
        raise table.error("labels", "no pins, or one twice", valid)
    return labels
