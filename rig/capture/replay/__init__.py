# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures from files instead of an analyzer: session files of sigrok, value change dumps.

Every reader streams: a capture may be far larger than memory. Every file is untrusted.
"""
