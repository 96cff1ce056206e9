# SPDX-License-Identifier: GPL-3.0-or-later
"""The stimulus: pulse trains that host and firmware compute alike, and the serial link to it."""
