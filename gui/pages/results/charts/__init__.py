# SPDX-License-Identifier: GPL-3.0-or-later
"""Charts of stored figures, painted by ourselves: on the screen and into files alike."""
