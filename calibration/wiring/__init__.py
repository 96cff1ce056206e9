# SPDX-License-Identifier: GPL-3.0-or-later
"""The wiring check: what was driven, what arrived where, and what that means."""
