# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether what was fitted to a run's data can be true of its bench: rates and constant delays."""
