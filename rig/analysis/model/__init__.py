# SPDX-License-Identifier: GPL-3.0-or-later
"""What the analysis of a run works on: its settings and where its events come from."""
