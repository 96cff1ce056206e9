# SPDX-License-Identifier: GPL-3.0-or-later
"""What edges and readings say of a bench: pure functions on arrays, each with its uncertainty."""
