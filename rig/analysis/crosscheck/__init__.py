# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the witnesses of a run agree, and whether rates and constants can be true."""
