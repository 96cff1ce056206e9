# SPDX-License-Identifier: GPL-3.0-or-later
"""pyqtgraph, told to use PySide6. Imported late: the window opens without it."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")

pg: Any = import_module("pyqtgraph")  # it comes without types
pg.setConfigOptions(antialias=False, useOpenGL=False)
