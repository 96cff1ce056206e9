# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmarks: `make bench`. Each figure is a ratio against a peer measured in the same run."""
