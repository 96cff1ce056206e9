# SPDX-License-Identifier: GPL-3.0-or-later
"""How a run goes on while samples flow: what makes its events, what is shown, when it is over."""
