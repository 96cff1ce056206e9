# SPDX-License-Identifier: GPL-3.0-or-later
"""The guest's first and only files, as an archive in memory that the kernel unpacks.

Format: cpio "newc", as the kernel's Documentation/driver-api/early-userspace/buffer-format.rst
describes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_DIRECTORY, _FILE, _LINK = 0o040755, 0o100755, 0o120777
_TRAILER = "TRAILER!!!"


def archive(folders: Sequence[str], files: Mapping[str, bytes], links: Mapping[str, str]) -> bytes:
    """An archive of folders, files (all executable) and symbolic links, by paths without a slash
    in front. Folders come first, in the order given."""
    entries = [(name, _DIRECTORY, b"") for name in folders]
    entries += [(name, _FILE, data) for name, data in files.items()]
    entries += [(name, _LINK, target.encode()) for name, target in links.items()]
    packed = [_entry(number, *entry) for number, entry in enumerate(entries, start=1)]
    return b"".join([*packed, _entry(0, _TRAILER, 0, b"")])


def _entry(number: int, name: str, mode: int, data: bytes) -> bytes:
    name_bytes = name.encode() + b"\0"
    links = 2 if mode == _DIRECTORY else 1
    # inode, mode, uid, gid, links, mtime, size, device (2), device node (2), length of name, check
    numbers = (number, mode, 0, 0, links, 0, len(data), 0, 0, 0, 0, len(name_bytes), 0)
    head = b"070701" + "".join(f"{value:08X}" for value in numbers).encode()
    return _padded(head + name_bytes) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
