# SPDX-License-Identifier: GPL-3.0-or-later
"""Decoding of edges on channels into stimuli, answers and sequence numbers."""
