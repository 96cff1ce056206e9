# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples to edges: the libsigrok worker process, edge extraction, glitch filter, `.sr` export."""
