# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans and fixtures: the input is a TOML file, read as either."""

from __future__ import annotations

from rig.config.check import check
from rig.config.fixture import load_fixture, parse_fixture
from rig.config.plan import load_plan, parse_plan
from rig.toml.reader import read_document
from tests.fuzz.refusal import file_of, refusal


def one_input(data: bytes) -> None:
    with file_of(data, ".toml") as path:
        with refusal():
            document = read_document(path, "file")
            check(parse_plan(document.text, document.source), load_fixture("virtual"))
        with refusal():
            document = read_document(path, "file")
            check(load_plan("interrupt"), parse_fixture(document.text, document.source))
