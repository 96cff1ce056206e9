# SPDX-License-Identifier: GPL-3.0-or-later
"""Uncertainty of a measured time after the GUM (JCGM 100:2008). Pure functions, no instrument."""
