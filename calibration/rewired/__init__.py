# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires that a step of the calibration wants in place of a measurement's: which, and are they?"""
