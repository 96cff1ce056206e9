# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel module as far as it can be told without its kernel: interface, test program, build.

What it does in a kernel is tried by targets/module/tests in a guest.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from rig.instruments import LOG_LEAD, LOG_RECORD
from rig.resources import module_sources

MODULE = Path(__file__).parents[2] / "targets" / "module"
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wpedantic", "-Wpadded"]


def compiled(source: str, folder: Path) -> str:
    """What a program that includes only the interface prints."""
    (folder / "program.c").write_text(source)
    command = ["cc", *STRICT, f"-I{MODULE}", "-o", str(folder / "program")]
    subprocess.run([*command, str(folder / "program.c")], check=True)
    return subprocess.run([folder / "program"], check=True, capture_output=True, text=True).stdout


def test_record_is_the_hosts_record(tmp_path: Path) -> None:
    names = ["lead_ticks" if name == LOG_LEAD else name for name in LOG_RECORD.names or ()]
    lines = "".join(
        f'    printf("%zu %zu\\n", offsetof(struct lrig_record, {name}),'
        f" sizeof(((struct lrig_record *)0)->{name}));\n"
        for name in names
    )
    printed = compiled(
        "#include <stddef.h>\n#include <stdio.h>\n"
        '#include "latency_rig.h"\n'
        f"int main(void)\n{{\n{lines}"
        '    printf("%zu 0\\n", sizeof(struct lrig_record));\n    return 0;\n}\n',
        tmp_path,
    )
    fields = LOG_RECORD.fields or {}
    expected = [(fields[name][1], fields[name][0].itemsize) for name in LOG_RECORD.names or ()]
    assert [tuple(map(int, line.split())) for line in printed.splitlines()] == [
        *expected,
        (LOG_RECORD.itemsize, 0),
    ]


def test_structs_have_one_layout_everywhere(tmp_path: Path) -> None:
    """-Wpadded refuses holes; without them, and with sizes of whole 64-bit words, a 32-bit
    program's layout is the same. The sizes are part of the ioctl numbers and must not change."""
    sizes = {"info": 96, "arm": 72, "summary": 32, "record": 40, "state": 40, "answer": 16}
    lines = "".join(f'    printf("%zu\\n", sizeof(struct lrig_{name}));\n' for name in sizes)
    printed = compiled(
        f'#include <stdio.h>\n#include "latency_rig.h"\nint main(void)\n{{\n{lines}'
        "    return 0;\n}\n",
        tmp_path,
    )
    assert [int(line) for line in printed.split()] == list(sizes.values())


def test_flags_and_modes_do_not_collide() -> None:
    header = (MODULE / "latency_rig.h").read_text()
    for group in ("INFO", "ARM", "SUMMARY", "RECORD"):
        bits = [int(b, 16) for b in re.findall(rf"#define LRIG_{group}_\w+ (0x\w+)u", header)]
        assert len(bits) >= 2
        assert all(bit.bit_count() == 1 for bit in bits), group
        assert len(set(bits)) == len(bits), group
    modes = [int(m) for m in re.findall(r"#define LRIG_MODE_\w+ (\d+)", header)]
    assert modes == list(range(7))


@pytest.fixture(scope="module")
def test_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("module")
    subprocess.run(["make", "-s", "-C", str(MODULE), "test-program", f"OUT={folder}"], check=True)
    return folder / "lrig-test"


def test_program_without_module_says_so(test_program: Path) -> None:
    if Path("/dev/latency-rig").exists():
        pytest.skip("this machine has the module")
    done = subprocess.run([test_program, "info"], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (
        1,
        "FAIL /dev/latency-rig: No such file or directory\n",
    )


@pytest.mark.parametrize("word", ["mode", "mode=x", "mode=", "nonsense=1", "count=1 2"])
def test_program_refuses_unknown_words(test_program: Path, word: str) -> None:
    done = subprocess.run([test_program, "run", word], check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("lrig-test: ")
    assert done.stderr.count("\n") == 1


def test_build_without_kernel_headers_says_what_to_install(tmp_path: Path) -> None:
    done = subprocess.run(
        ["make", "-s", "-C", str(MODULE), f"KDIR={tmp_path}/none", f"OUT={tmp_path}/out"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "install the running kernel's linux-headers package or give KDIR=" in done.stderr


def test_sources_are_complete() -> None:
    """Every object that Kbuild names is among the files the guest's build is given."""
    kbuild = (MODULE / "Kbuild").read_text()
    objects = set(re.findall(r"(\w+)\.o", kbuild.split("latency_rig-y", 1)[1]))
    given = {path.name for path in module_sources()}
    assert objects
    assert {f"{name}.c" for name in objects} | {"Kbuild", "latency_rig.h"} <= given


def test_dkms_has_the_modules_version() -> None:
    (told,) = re.findall(r'MODULE_VERSION\("(.*)"\)', (MODULE / "device.c").read_text())
    assert f'PACKAGE_VERSION="{told}"' in (MODULE / "dkms.conf").read_text()
    how_to = MODULE.parents[1] / "docs" / "how-to" / "load-the-kernel-module.md"
    assert f"latency-rig-{told}" in how_to.read_text()


def test_every_file_carries_the_kernels_license() -> None:
    for path in [*module_sources(), *(MODULE / "tests").iterdir(), MODULE / "Makefile"]:
        first_lines = path.read_text().splitlines()[:2]
        wanted = "SPDX-License-Identifier: GPL-2.0"
        assert any(wanted in line for line in first_lines), path.name
