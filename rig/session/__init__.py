# SPDX-License-Identifier: GPL-3.0-or-later
"""One run from plan and fixture to a finished run file, and what is read back from it."""
