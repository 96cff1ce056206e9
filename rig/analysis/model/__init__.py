# SPDX-License-Identifier: GPL-3.0-or-later
"""What the analysis works on: settings, raw data, events, and where these come from."""
