# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutation testing: a change of the product that no test notices is a missing test."""
