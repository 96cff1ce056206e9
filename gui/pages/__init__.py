# SPDX-License-Identifier: GPL-3.0-or-later
"""The window's pages, one a folder."""
