# SPDX-License-Identifier: GPL-3.0-or-later
"""In the place of an agent that is started over ssh or sits on a serial line: `relay.py PORT ...`
passes the bytes of its standard streams to the agent of a virtual bench, on 127.0.0.1."""

from __future__ import annotations

import os
import select
import socket
import sys


def main() -> None:
    """Until either side ends."""
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10) as agent:
        while True:
            ready, _, _ = select.select([0, agent], [], [])
            if 0 in ready:
                data = os.read(0, 1 << 16)
                if not data:
                    return
                agent.sendall(data)
            if agent in ready:
                data = agent.recv(1 << 16)
                if not data:
                    return
                while data:
                    data = data[os.write(1, data) :]


if __name__ == "__main__":
    main()
