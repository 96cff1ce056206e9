#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The module is compiled against every linux-headers package that Debian 12 and 13 offer now.

    make -C targets/module every-kernel [ONLY=REGEX] [PORTS="parallel gpio serial"]

Backports and security updates are included. Packages come from the mirrors that this machine's apt
has, by lists of their own, and are unpacked and never installed: each release's compiler and build
programs run in a folder of their own, in a user namespace (`unshare`). Downloads some gigabytes and
takes seconds for each kernel; everything is removed at the end. Exit status 1: one was not built.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
RELEASES = {"bookworm": "12", "trixie": "13"}
COMPILERS = {"bookworm": "gcc-12", "trixie": "gcc-14"}
"""The compiler that a release's kernels were built with."""
PROGRAMS = (
    *("make", "dash", "bash", "coreutils", "sed", "grep", "mawk", "findutils", "diffutils"),
    *("kmod", "pahole"),
)
CROSS = "aarch64-linux-gnu"
HEADERS = re.compile(r"linux-headers-(?!.*-cloud-)\d[\w.+~-]*-(?:rt-)?(?:amd64|arm64)")
VERSIONED = re.compile(r"linux-headers-(\d+\.\d+\.\d+)")
MODULE = Path(__file__).resolve().parents[1]


def run(command: Sequence[str], **options: object) -> str:
    """Return what a program prints. Raises SystemExit with its last words."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines()
        raise SystemExit(f"every_kernel: {' '.join(command)[:200]}: {words[-1] if words else '?'}")
    return str(done.stdout)


def mirrors() -> dict[str, str]:
    """Return the machine's own mirrors of Debian, by the label that Debian gives them."""
    lines = run(
        [
            "apt-get",
            "indextargets",
            "--format",
            "$(ORIGIN)|$(LABEL)|$(SITE)",
            "Created-By: Packages",
        ]
    ).splitlines()
    fields = [line.split("|") for line in lines]
    found = {label: site for origin, label, site in fields if origin == "Debian"}
    if "Debian" not in found:
        raise SystemExit(
            "every_kernel: apt knows no mirror of Debian; run apt-get update on Debian"
        )
    return found


class Release:
    """One release of Debian: its packages, and a root in which its compiler runs."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.root, self._lists = name, folder / "root", folder / "lists"
        self._options = [
            word
            for key, value in {
                "Dir::Etc::sourcelist": folder / "sources.list",
                "Dir::Etc::sourceparts": "/dev/null",
                "Dir::State": self._lists,
                "Dir::State::status": "/dev/null",
                "Dir::Cache": self._lists,
                "APT::Architectures": "amd64,arm64",
                "APT::Install-Recommends": "false",
                "APT::Sandbox::User": "",
                "Acquire::Languages": "none",
                "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
            }.items()
            for word in ("-o", f"{key}={value}")
        ]
        (self._lists / "lists" / "partial").mkdir(parents=True)
        (self._lists / "archives" / "partial").mkdir(parents=True)
        sites = mirrors()
        suites = [("Debian", name), ("Debian", f"{name}-updates"), ("Debian", f"{name}-backports")]
        suites += [("Debian-Security", f"{name}-security")]
        (folder / "sources.list").write_text(
            "".join(
                f"deb [signed-by={KEYRING}] {sites[label]} {suite} main\n"
                for label, suite in suites
                if label in sites
            )
        )
        self.apt("apt-get", "update", "-q")

    def apt(self, program: str, *words: str) -> str:
        """Run one of apt's programs on this release's lists."""
        return run([program, *self._options, *words], cwd=self._lists)

    def kernels(self) -> list[str]:
        """Return the packages of headers, `NAME:ARCHITECTURE`, the oldest kernel first."""
        found = set()
        for name in self.apt("apt-cache", "pkgnames", "linux-headers-").split():
            if HEADERS.fullmatch(name) and VERSIONED.match(name):
                found.add(f"{name}:{name.rpartition('-')[2]}")
        return sorted(found, key=lambda name: [int(part) for part in re.findall(r"\d+", name)])

    def depends(self, package: str) -> list[str]:
        """Return the names of the packages that one depends on."""
        text = self.apt("apt-cache", "show", "--no-all-versions", package)
        (line,) = re.findall(r"^Depends: (.*)$", text, re.MULTILINE)[:1]
        return re.findall(r"(?:^|, )([a-z0-9][a-z0-9.+-]*)", line)

    def unpack(self, packages: Sequence[str], *, alone: bool) -> None:
        """Download packages, with all they depend on unless `alone`, and unpack them."""
        archives = self._lists if alone else self._lists / "archives"
        words = ("download",) if alone else ("install", "--download-only", "--yes")
        self.apt("apt-get", *words, "-q", *packages)
        for archive in sorted(archives.glob("*.deb")):
            run(["dpkg-deb", "-x", str(archive), str(self.root)])
            archive.unlink()

    def make_root(self) -> None:
        """Unpack the compilers and what the kernel's build needs beside them."""
        for folder in ("bin", "sbin", "lib", "lib64"):
            (self.root / "usr" / folder).mkdir(parents=True)
            (self.root / folder).symlink_to(f"usr/{folder}")
        for folder in ("dev", "tmp", "proc"):
            (self.root / folder).mkdir()
        compiler = COMPILERS[self.name]
        kbuild = max(self.apt("apt-cache", "pkgnames", "linux-kbuild-").split())
        libraries = [name for name in self.depends(kbuild) if name.startswith("lib")]
        self.unpack([*PROGRAMS, compiler, f"{compiler}-{CROSS}", *libraries], alone=False)
        (self.root / "usr/bin/awk").symlink_to("mawk")
        for name in ("gcc", "cpp"):
            for prefix in ("", f"{CROSS}-"):
                link = self.root / f"usr/bin/{prefix}{name}"
                if not link.is_symlink():
                    link.symlink_to(f"{prefix}{name}-{compiler.rpartition('-')[2]}")

    def build(self, package: str, port: str) -> tuple[str, str]:
        """Return the outcome of building the module for one kernel, and its last words."""
        release = package.partition(":")[0].removeprefix("linux-headers-")
        out = self.root / "module"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        for path in [*MODULE.glob("*.[ch]"), MODULE / "Kbuild"]:
            shutil.copy(path, out)
        make = f"make -s -C /usr/src/linux-headers-{release} M=/module LRIG_PORT={port} modules"
        if package.endswith(":arm64"):
            make += f" ARCH=arm64 CROSS_COMPILE={CROSS}-"
        mounts = "".join(f'mount --rbind /{name} "$0/{name}" && ' for name in ("dev", "proc"))
        script = f'{mounts}exec chroot "$0" /bin/sh -c "PATH=/usr/bin:/usr/sbin:/bin:/sbin {make}"'
        command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, str(self.root)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        said = (done.stderr + done.stdout).strip().splitlines()
        if done.returncode or not (out / "latency_rig.ko").is_file():
            errors = [line for line in said if "rror" in line or "not found" in line]
            return "NOT BUILT", (errors or said or ["no words"])[0]
        warnings = [line for line in said if "warning" in line.lower()]
        return "built", f"{len(warnings)} warnings: {warnings[0]}" if warnings else ""

    def try_kernel(self, package: str, ports: Sequence[str]) -> list[tuple[str, str, str]]:
        """Unpack a kernel's headers, build the module for each port, and remove them."""
        further = [
            name for name in self.depends(package) if re.match("linux-(headers|kbuild)-", name)
        ]
        try:
            self.unpack([package, *further], alone=True)
        except SystemExit as error:
            return [(port, "NOT TRIED", str(error)) for port in ports]
        outcomes = [(port, *self.build(package, port)) for port in ports]
        for path in [*self.root.glob("usr/src/linux-*"), *self.root.glob("usr/lib/linux-kbuild-*")]:
            path.unlink() if path.is_symlink() else shutil.rmtree(path)
        return outcomes


def main() -> int:
    """Print a line for each kernel and port."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default="", help="packages whose names hold this expression")
    parser.add_argument("--ports", nargs="+", default=["parallel"])
    options = parser.parse_args()
    failed = count = 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the folder goes then, too
    with tempfile.TemporaryDirectory(prefix="every-kernel-") as folder:
        for name in RELEASES:
            (Path(folder) / name).mkdir()
            release = Release(name, Path(folder) / name)
            kernels = [one for one in release.kernels() if re.search(options.only, one)]
            if kernels:
                release.make_root()
            for kernel in kernels:
                for port, outcome, words in release.try_kernel(kernel, options.ports):
                    count += 1
                    failed += outcome != "built"
                    row = f"{RELEASES[name]}  {kernel:<50}{port:<10}{outcome:<10}{words}"
                    sys.stdout.write(row.rstrip() + "\n")
                    sys.stdout.flush()
    sys.stdout.write(f"{count} builds, {failed} failed\n")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C.UTF-8"
    sys.exit(main())
