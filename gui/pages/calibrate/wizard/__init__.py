# SPDX-License-Identifier: GPL-3.0-or-later
"""The wizard for a new board, as pages."""
