# SPDX-License-Identifier: GPL-3.0-or-later
"""One file a part of the page: a run's data in, HTML out; "" if the run has nothing of it."""
