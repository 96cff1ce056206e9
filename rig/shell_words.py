# SPDX-License-Identifier: GPL-3.0-or-later
"""The one place where words become a shell's text: for ssh's far end, and for users to copy.

Scripts are constants. Whatever comes from outside reaches them as a positional parameter, quoted
here once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

HOST_PATTERN: Final = (
    r"([A-Za-z0-9_][A-Za-z0-9_.+-]*@)?"
    r"([A-Za-z0-9_][A-Za-z0-9_.-]*|[0-9A-Fa-f]*:[0-9A-Fa-f:.]+(%[A-Za-z0-9_.-]+)?)"
)
"""User, and a name or an IPv6 address; never something that ssh could take for an option."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.,:/+@-]+")
"""Words that mean themselves in every shell."""


def quoted(word: object) -> str:
    r"""One word, such as a path, as a shell's text that stands for exactly this word.

    It is right for sh, bash, zsh, dash, csh and fish: an apostrophe, a backslash (special between
    fish's apostrophes) and an exclamation mark (special between csh's) stand outside of the
    apostrophes, behind a backslash. csh alone cannot take a line feed; no plan, fixture or command
    line lets one through to a command.
    """
    text = str(word)
    if _PLAIN.fullmatch(text):
        return text
    return "'" + re.sub(r"['\\!]", r"'\\\g<0>'", text) + "'"


def command_text(words: Iterable[object]) -> str:
    """A command of these words, to be read by a shell or copied by a user."""
    return " ".join(quoted(word) for word in words)
