# SPDX-License-Identifier: GPL-3.0-or-later
"""A target that is a real Debian kernel: its packages, its first files, its machine in QEMU."""
