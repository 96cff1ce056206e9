# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures while a run goes on: edges to counts and latencies in one pass and constant memory."""
