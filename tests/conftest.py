# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for every test."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

# No test judges by wall time, so a busy machine fails none. What hangs, pytest-timeout ends.
# The same tree draws the same examples: who changes nothing breaks nothing. New ones are drawn by
# `make explore`, whose finds become tests of their own.
settings.register_profile("latency-rig", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, derandomize=False)
settings.load_profile("latency-rig")


@pytest.fixture(scope="session", autouse=True)
def no_calibration_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Built-in fixtures have theirs in the user's data folder: it must not change a test's run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Those that boot kernels go first: of several workers none is left with them at the end."""
    items.sort(key=lambda item: item.get_closest_marker("guest") is None)
