# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine: a process of its own that measures as `rig run` does, and what the pages see of it.

Neither a window that stalls loses samples nor does an engine that dies take the window with it.
The engine's side (`__main__`, `job`, `observer`, `publisher`) imports no Qt; the window's side is
`client`. Both know `messages` and `snapshot`.
"""
