# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pages show, without a widget: runs of a folder, summaries of long runs."""
