# SPDX-License-Identifier: GPL-3.0-or-later
"""The host's side of the target: the agent's line protocol and the links it runs over."""
