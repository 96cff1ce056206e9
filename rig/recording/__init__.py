# SPDX-License-Identifier: GPL-3.0-or-later
"""The course of a run while samples flow: what makes its events, what is shown, its end."""
