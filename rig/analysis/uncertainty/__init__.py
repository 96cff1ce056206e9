# SPDX-License-Identifier: GPL-3.0-or-later
"""Uncertainty of what a run measures, after the GUM (JCGM 100:2008). Pure, no instrument."""
