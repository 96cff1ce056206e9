# SPDX-License-Identifier: GPL-3.0-or-later
"""One bench open at a time: the fixture's own, or for a while the same instruments set anew."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from calibration.context import BenchInstruments, OpenBench, StoppedError
from rig.closing import Closing
from rig.config.fixture import Fixture
from rig.errors import RigError


class Benches(Closing):
    """A context manager; whatever is open is closed on every path."""

    def __init__(self, fixture: Fixture, open_bench: OpenBench) -> None:
        self._fixture, self._open_bench = fixture, open_bench
        self._stack = ExitStack()
        self._bench: BenchInstruments | None = None

    def own(self) -> BenchInstruments:
        """The fixture's, opened if it is not. Raises BenchError, InputError."""
        if self._bench is None:
            self._bench = self._stack.enter_context(self._open_bench(self._fixture))
        return self._bench

    @contextmanager
    def other(self, fixture: Fixture) -> Iterator[BenchInstruments]:
        """The same instruments set otherwise, in place of the fixture's own. Raises RigError."""
        self.close()
        with self._open_bench(fixture) as bench:
            try:
                yield bench
            except StoppedError:
                raise
            except RigError as error:
                raise bench.cause_of(error) from error

    def close(self) -> None:
        """The own one, if it is open."""
        self._bench = None
        self._stack.close()
