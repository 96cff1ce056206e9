# SPDX-License-Identifier: GPL-3.0-or-later
"""One module a target; its `one_input` takes any bytes and raises for a finding only."""
