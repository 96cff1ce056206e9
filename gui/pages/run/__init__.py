# SPDX-License-Identifier: GPL-3.0-or-later
"""The Run page: choose, press Run, see what comes."""
