# SPDX-License-Identifier: GPL-3.0-or-later
"""Plugin of pytest: tells coverage which test runs, here and in the processes that it starts."""

from __future__ import annotations

import os
from collections.abc import Iterator

import coverage
import pytest

VARIABLE = "LATENCY_RIG_TEST"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Fixtures belong to the first test that needs them."""
    measured = coverage.Coverage.current()
    os.environ[VARIABLE] = item.nodeid
    if measured is not None:
        measured.switch_context(item.nodeid)
    yield
