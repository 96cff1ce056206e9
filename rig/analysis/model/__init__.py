# SPDX-License-Identifier: GPL-3.0-or-later
"""The input of the analysis: settings, raw data, events, and their sources."""
