# SPDX-License-Identifier: GPL-3.0-or-later
"""The latencies of all events from the first to the last, at any zoom."""
