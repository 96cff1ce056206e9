# SPDX-License-Identifier: GPL-3.0-or-later
"""A result for people: terminal table and a page for the browser."""
