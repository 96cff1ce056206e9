# SPDX-License-Identifier: GPL-3.0-or-later
"""The planned pulse train beside the edges that were seen: holes in the samples, rates."""
