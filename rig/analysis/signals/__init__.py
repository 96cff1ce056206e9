# SPDX-License-Identifier: GPL-3.0-or-later
"""From edges on channels to stimuli, answers and sequence numbers."""
