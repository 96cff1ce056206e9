# SPDX-License-Identifier: GPL-3.0-or-later
"""From edges to figures: pure functions and small accumulators on arrays. Imports no instrument."""
