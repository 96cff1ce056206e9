# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens a fixture's three instruments, whatever they are made of, and closes them on every path."""
