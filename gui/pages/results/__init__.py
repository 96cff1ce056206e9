# SPDX-License-Identifier: GPL-3.0-or-later
"""The Results page: runs of a folder, a run's report, its events, several compared."""
