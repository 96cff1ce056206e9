# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans and fixtures: strict TOML in, frozen values with integer units out."""
