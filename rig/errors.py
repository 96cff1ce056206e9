# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors a user can meet: each one line that says what, where, what is valid, what to do."""

from __future__ import annotations


class RigError(Exception):
    """Base of every error that is reported to the user as one line, without a traceback."""

    exit_code = 3


class InputError(RigError):
    """A plan, fixture, run file or option is wrong. Nothing was started, nothing was written."""

    exit_code = 2


class BenchError(RigError):
    """An instrument or the target failed. What had been measured until then is kept."""

    exit_code = 3
