# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.fuzz [--seconds N] [TARGET ...]`: a line each, exit code 1 for any finding."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.names import NATIVE, PYTHON, ROOT, seeds

BUILD = ROOT / "build" / "fuzz"
_LIMITS = ("-timeout=10", "-rss_limit_mb=1024", "-print_final_stats=1", "-verbosity=1")
_GRACE_S = 120
"""For a target that libFuzzer cannot stop any more."""
_ARTIFACTS = ("crash-*", "oom-*", "timeout-*", "leak-*")


@dataclass(frozen=True)
class Outcome:
    """What came of one target."""

    line: str
    clean: bool


def main(words: list[str]) -> int:
    """Run the targets; 0 if none found anything."""
    options = _options(words)
    names = options.targets or [*NATIVE, *PYTHON]
    programs = {name: _program(name) for name in names}
    options.findings.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = []
        for outcome in pool.map(lambda name: _run(name, programs[name], options), names):
            print(outcome.line, flush=True)
            outcomes.append(outcome)
    return 0 if all(outcome.clean for outcome in outcomes) else 1


def _options(words: list[str]) -> argparse.Namespace:
    every = [*NATIVE, *PYTHON]
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", metavar="TARGET", nargs="*", help=", ".join(every))
    parser.add_argument("--seconds", type=int, default=600, help="for each target (600)")
    parser.add_argument("--jobs", type=int, default=1, help="targets at once (1)")
    parser.add_argument(
        "--findings",
        type=Path,
        default=BUILD / "findings",
        help="folder for inputs that broke something, and for the logs (build/fuzz/findings)",
    )
    options = parser.parse_args(words)
    unknown = sorted(set(options.targets) - set(every))
    if unknown:
        parser.error(f"no target {unknown[0]}; valid: {', '.join(every)}")
    return options


def _program(name: str) -> list[str]:
    """What runs a target, compiled if need be."""
    if name in PYTHON:
        return [sys.executable, "-m", "tests.fuzz.python_target", name]
    out = NATIVE[name].build(BUILD / name, "clang", "-fsanitize=fuzzer")
    return [str(out)]


def _run(name: str, program: list[str], options: argparse.Namespace) -> Outcome:
    log = options.findings / f"{name}.log"
    before = _artifacts(name, options.findings)
    with tempfile.TemporaryDirectory(prefix="rig-fuzz-") as corpus:
        arguments = [
            f"-max_total_time={options.seconds}",
            f"-artifact_prefix={options.findings.resolve()}/{name}-",
            *_LIMITS,
            corpus,
            str(seeds(name)),
        ]
        started_s = time.monotonic()
        with log.open("wb") as file:
            code = _ended(program + arguments, file, options.seconds + _GRACE_S)
        spent_s = time.monotonic() - started_s
    found = sorted(_artifacts(name, options.findings) - before)
    clean = code == 0 and not found
    result = "clean" if clean else f"FOUND {', '.join(found) or f'exit status {code}'}; see {log}"
    return Outcome(f"{name:<10} {spent_s:6.0f} s  {_figures(log)}  {result}", clean)


def _ended(command: list[str], log: object, limit_s: int) -> int:
    process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)  # type: ignore[call-overload]
    try:
        return int(process.wait(limit_s))
    except BaseException as error:
        process.kill()
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            return -1
        raise


def _artifacts(name: str, folder: Path) -> set[str]:
    return {path.name for kind in _ARTIFACTS for path in folder.glob(f"{name}-{kind}")}


def _figures(log: Path) -> str:
    text = log.read_text(errors="replace")
    executed = re.findall(r"stat::number_of_executed_units:\s*(\d+)", text)
    memory = re.findall(r"stat::peak_rss_mb:\s*(\d+)", text)
    covered = re.findall(r"cov: (\d+) ft: (\d+)", text)
    cov, features = covered[-1] if covered else ("?", "?")
    count = f"{int(executed[-1]):>11,}" if executed else f"{'?':>11}"
    return (
        f"{count} executions, {cov:>5} edges and {features:>6} features covered, "
        f"{memory[-1] if memory else '?':>4} MiB"
    )


if __name__ == "__main__":
    if shutil.which("clang") is None:
        sys.exit("clang is missing: apt-get install clang libclang-rt-14-dev")
    sys.exit(main(sys.argv[1:]))
