# SPDX-License-Identifier: GPL-3.0-or-later
"""The runs of a folder: what is stored in each, tags and notes, the table."""
