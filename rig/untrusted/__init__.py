# SPDX-License-Identifier: GPL-3.0-or-later
"""Values from files that may be anybody's: bounded when they are read, checked before their use."""
