# SPDX-License-Identifier: GPL-3.0-or-later
"""What only one kind of measurement finds."""

from __future__ import annotations

from typing import ClassVar


class Details:
    """Base of a frozen dataclass of such figures, which the measurement's object names."""

    kind: ClassVar[str]
    """What key `kind` says of it in documents."""
