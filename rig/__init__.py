# SPDX-License-Identifier: GPL-3.0-or-later
"""Latency Rig: interrupt latency of real-time systems, measured from outside."""

__version__ = "0.1.0"
