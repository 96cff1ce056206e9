# SPDX-License-Identifier: GPL-3.0-or-later
"""Analysis of edges into figures: functions and accumulators on arrays, without instruments."""
