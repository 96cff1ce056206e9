# SPDX-License-Identifier: GPL-3.0-or-later
"""Run files changed on purpose and sealed again, and which changes are still seen."""
