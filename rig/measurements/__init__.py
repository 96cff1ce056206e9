# SPDX-License-Identifier: GPL-3.0-or-later
"""All measurements: one object each, with all that is particular to it.

`registry.py` lists them. To add one, write its object in a file of its own and list it there.
"""
