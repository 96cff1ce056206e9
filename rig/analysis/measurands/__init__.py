# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run measures, each with its figures, its uncertainty and where its true value may lie."""
