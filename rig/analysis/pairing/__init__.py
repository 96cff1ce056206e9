# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairing of answers with stimuli, and how many interrupts were merged."""
