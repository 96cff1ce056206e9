# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command of `rig` on crafted files: see docs/how-to/fuzz.md."""
