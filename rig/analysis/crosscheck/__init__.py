# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that the witnesses of a run agree, and that rates and constants can be true."""
