# SPDX-License-Identifier: GPL-3.0-or-later
"""The graphical bench: Wire, Run, Results, Calibrate."""
