# SPDX-License-Identifier: GPL-3.0-or-later
"""The window's texts in other languages: latency-rig_LANGUAGE.ts, made by Qt Linguist or any
editor, and the .qm made of it, which Qt reads."""
