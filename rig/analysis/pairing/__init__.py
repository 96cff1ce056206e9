# SPDX-License-Identifier: GPL-3.0-or-later
"""Which answer belongs to which stimulus, and how many interrupts were merged."""
