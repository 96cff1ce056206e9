# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of many runs in the shapes of the field's publications, beside their figures."""
