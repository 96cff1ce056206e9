# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual bench: what stands behind the cable ends when there is no hardware."""
