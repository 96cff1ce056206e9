# SPDX-License-Identifier: GPL-3.0-or-later
"""What the records of a target's log say, and whether they make sense by themselves."""
