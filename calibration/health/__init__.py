# SPDX-License-Identifier: GPL-3.0-or-later
"""What the instruments' identities and a short capture say of their health."""
