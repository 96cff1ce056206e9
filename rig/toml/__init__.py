# SPDX-License-Identifier: GPL-3.0-or-later
"""Strict TOML, and the quantities with units in it."""
