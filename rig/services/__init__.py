# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command line, the window and the wizard have done: one function for each thing.

They read words or clicks, call one of these, and show what it returns.
"""
