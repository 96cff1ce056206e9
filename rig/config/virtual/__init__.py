# SPDX-License-Identifier: GPL-3.0-or-later
"""The [virtual] tables of a fixture."""
