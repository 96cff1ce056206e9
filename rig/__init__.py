# SPDX-License-Identifier: GPL-3.0-or-later
"""Latency Rig: interrupt latency of real-time systems, measured from outside."""

import resource
import sys

__version__ = "0.1.0"

# Where files may not grow (`ulimit -f`), Python 3.11 keeps bytecode that was cut off, and no later
# start can import that module.
if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
    sys.dont_write_bytecode = True
