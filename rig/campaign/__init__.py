# SPDX-License-Identifier: GPL-3.0-or-later
"""Campaigns: many runs of one bench, planned as a matrix and kept in one folder."""
