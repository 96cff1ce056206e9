# SPDX-License-Identifier: GPL-3.0-or-later
"""Random plans, targets, benches and faults, judged by an oracle that knows only the truth."""
