# SPDX-License-Identifier: GPL-3.0-or-later
"""What the wires did around an event: traces, marks of the witnesses, cursors."""
