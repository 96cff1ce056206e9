# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of README and tutorials, done as they stand there, print what stands there."""
