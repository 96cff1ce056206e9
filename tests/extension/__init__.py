# SPDX-License-Identifier: GPL-3.0-or-later
"""Each how-to of docs/how-to/, done: something is added, works, and takes as few files as said."""
