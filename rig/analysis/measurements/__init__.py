# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluation of each kind of run: figures, witnesses, limits and verdict."""
