# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of results for people: terminal tables and pages for the browser."""
