# SPDX-License-Identifier: GPL-3.0-or-later
"""Clocks of analyzer, stimulus and target against each other: fits, the bracket test, faults.

Pure functions on arrays; docs/explanation/clocks.md says what they prove and what they cannot.
"""
