# SPDX-License-Identifier: GPL-3.0-or-later
"""One file a plot: arrays in, SVG text out. No run file, no state."""
