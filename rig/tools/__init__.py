# SPDX-License-Identifier: GPL-3.0-or-later
"""What test tools on the target, such as cyclictest, print of it."""
