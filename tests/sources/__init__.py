# SPDX-License-Identifier: GPL-3.0-or-later
"""The items of docs/reference/sources.md: each command still prints what the table says."""
