# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/reference/sources.md says of the sources' items is what its commands show."""

from __future__ import annotations

import pytest

from tests.sources.table import chains, not_printed, rows

ITEMS = 157


CAMPAIGNS = ("thesis", "slides", "radder", "golem", "osadl", "rhealstone")


def _marks(command: str) -> list[pytest.MarkDecorator]:
    """A real kernel, or a whole campaign, is nothing for every check."""
    words = command.split()
    if "--dry-run" in words:
        return [pytest.mark.timeout(120)]
    guest = "qemu" in command
    slow = guest or any(name in words for name in CAMPAIGNS)
    marks = [*[pytest.mark.guest] * guest, *[pytest.mark.slow] * slow]
    return [*marks, pytest.mark.timeout(1200 if slow else 120)]


def test_every_item_has_its_row():
    assert [row.number for row in rows()] == list(range(1, ITEMS + 1))


def test_every_row_has_a_command_or_a_reason():
    for row in rows():
        assert row.here, row.number
        assert bool(row.commands) == bool(row.printed), row.number


@pytest.mark.parametrize("first", [pytest.param(first, marks=_marks(first)) for first in chains()])
def test_commands_print_what_the_table_says(first, tmp_path):
    wrong = list(not_printed(chains()[first], tmp_path))
    assert not wrong, "\n\n".join(wrong)
