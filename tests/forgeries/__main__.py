# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.forgeries [NAME ...]`: forge a run file, and write docs/reference/run-file.md.

What was found goes to tests/forgeries/found.json, from which the table is written: a part can be
forged again without the rest.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from tests.forgeries.catalog import FORGERIES, Forgery, Keys
from tests.forgeries.runs import found_of, measured
from tests.forgeries.table import write_table

FOUND = Path(__file__).with_name("found.json")
Rows = dict[str, dict[str, Any]]


def main() -> None:
    """The forgeries of these names; without names, all."""
    every: dict[str, Forgery | Keys] = {
        each.name: each for part in FORGERIES.values() for each in part
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="*", choices=[[], *every])
    names = parser.parse_args().name or list(every)
    rows: Rows = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else {}
    with tempfile.TemporaryDirectory(prefix="rig-forgeries-") as folder:
        honest = measured(Path(folder))
        for name in names:
            rows[name] = found_of(every[name], honest)
            print(name, rows[name], flush=True)
    rows = {name: rows[name] for name in every if name in rows}
    FOUND.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    write_table(rows)


if __name__ == "__main__":
    main()
