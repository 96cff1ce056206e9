# SPDX-License-Identifier: GPL-3.0-or-later
"""Lying instruments: which lie of which size each measurement's witnesses catch.

`python -m tests.lies` tells all lies and writes the table of docs/explanation/witnesses.md.
"""
