# SPDX-License-Identifier: GPL-3.0-or-later
"""Fuzz targets: whatever bytes come, a reader reads or says in one line why not.

docs/how-to/fuzz.md tells how to run them.

`targets/` has those in Python, `native/` those in C, `corpus/` what each begins with and the inputs
that once broke it. `python -m tests.fuzz` runs them.
"""
