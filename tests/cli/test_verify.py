# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig verify`: what it shows of whole, changed, signed and unfinished run files."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import h5py
import pytest

from rig.cli.main import main
from rig.record.reader import RunFile
from rig.record.signature import NAMESPACE, SUFFIX, signature_path, signed_text
from rig.session.results import NO_DIGESTS
from tests.record.older import with_older_event_names
from tests.record.test_digests import run_file
from tests.resealing import resealed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return run_file(tmp_path / "run.h5")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return made_key(tmp_path / "key", "lab@example.org")


def made_key(path: Path, who: str) -> Path:
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", who, "-f", str(path)]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    return path


def signers(tmp_path: Path, key: Path, who: str = "lab@example.org") -> Path:
    public = key.with_suffix(".pub").read_text()
    file = tmp_path / f"signers-of-{key.name}"
    file.write_text(f'{who} namespaces="{NAMESPACE}" {public}')
    return file


def verify(*words: object) -> int:
    return main(["verify", *map(str, words)])


def test_a_whole_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(path) == 0
    out = capsys.readouterr().out
    with RunFile(path) as file:
        digests, whole = file.digests, file.digest
    assert f"{path}: every part is as it was stored" in out
    assert f"sha256 {whole}  all raw data" in out
    for name, digest in digests.items():
        assert f"{digest}  {name}\n" in out
    assert "DIFFERS" not in out


def test_a_changed_part_is_named_and_all_are_shown(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with h5py.File(path, "r+") as file:
        file["target/log/rest"][3] += 1
    assert verify(path, "--json") == 4
    document = json.loads(capsys.readouterr().out)
    assert document["result"] == "differs"
    assert [row["name"] for row in document["raw"] if not row["holds"]] == ["target/log"]
    assert verify(path) == 4
    out = capsys.readouterr().out
    assert "target/log: DIFFERS, stored was" in out
    assert out.count("DIFFERS") == 1


def test_the_worst_of_several_counts(path: Path, tmp_path: Path) -> None:
    other = Path(shutil.copyfile(path, tmp_path / "other.h5"))
    with h5py.File(other, "r+") as file:
        file["state"][0] = b"failed"
    left = run_file(tmp_path / "left.h5", state=None)
    assert verify(path, left) == 1
    assert verify(path, other, left) == 4


def test_a_file_that_is_not_closed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(run_file(tmp_path / "left.h5", state=None)) == 1
    assert "not closed, no digest" in capsys.readouterr().out


def test_no_run_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.h5").write_text("text")
    assert verify(tmp_path / "text.h5") == 2
    assert "not a readable run file" in capsys.readouterr().err


def test_signed_and_checked(
    path: Path, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    allowed = signers(tmp_path, key)
    assert verify(path, "--signers", allowed) == 4
    assert "NOT GOOD: there is no run.h5.sig" in capsys.readouterr().out
    assert verify(path, "--sign", key) == 0
    assert verify(path, "--signers", allowed) == 0
    assert "signature: good: Good" in (out := capsys.readouterr().out)
    assert "lab@example.org" in out
    assert verify(path, "--sign", key) == 2
    assert "run.h5.sig: exists already and is not overwritten" in capsys.readouterr().err
    # As anybody checks it who has OpenSSH alone and the digest.
    with RunFile(path) as file:
        text = signed_text(file.digest)
    words = ["ssh-keygen", "-Y", "verify", "-f", str(allowed), "-I", "lab@example.org"]
    words += ["-n", NAMESPACE, "-s", str(signature_path(path))]
    assert subprocess.run(words, input=text, capture_output=True, check=False).returncode == 0


def test_a_signature_is_of_these_raw_data_by_an_allowed_key(
    path: Path, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(path, "--sign", key) == 0
    stranger = signers(tmp_path, made_key(tmp_path / "stranger", "x@example.org"), "x@example.org")
    assert verify(path, "--signers", stranger) == 4
    assert "its key is not in signers-of-stranger" in capsys.readouterr().out
    with resealed(path) as file:
        file["loss"][0] = (b"stall", 4, b"other")
    assert verify(path, "--signers", signers(tmp_path, key)) == 4
    out = capsys.readouterr().out
    assert "every part is as it was stored" in out  # by whoever sealed it again
    assert "signature: NOT GOOD" in out
    assert verify(path) == 4
    signature_path(path).write_bytes(b"x" * 70_000)
    assert verify(path) == 4
    assert f"run.h5{SUFFIX} is no signature" in capsys.readouterr().out


def test_what_cannot_sign(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "no-key").write_text("no key")
    for key, said in (("none", "none: no such key"), ("no-key", "no-key: not signed: ")):
        assert verify(path, "--sign", tmp_path / key) == 2
        assert said in capsys.readouterr().err
    assert not signature_path(path).exists()
    with h5py.File(path, "r+") as file:
        file["state"][0] = b"failed"
    assert verify(path, "--sign", made_key(tmp_path / "key", "x")) == 2
    assert "not signed: changed after it was stored" in capsys.readouterr().err


def test_a_key_whose_name_looks_like_an_option(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_key(tmp_path / "-Nx;touch INJECTED;", "x")
    monkeypatch.chdir(tmp_path)
    assert main(["verify", str(path), "--sign=-Nx;touch INJECTED;"]) == 0
    assert signature_path(path).is_file()
    assert not (tmp_path / "INJECTED").exists()


def test_settings_that_contradict_the_plan(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with resealed(path) as file:
        settings = json.loads(file["settings"].asstr()[()])
        settings["sample_rate_hz"] += 1_000_000
        file["settings"][()] = json.dumps(settings)
    assert verify(path) == 4
    said = (
        "settings have sample_rate_hz = 25000000, environment/analyzer has sample_rate_hz = "
        "24000000"
    )
    assert said in capsys.readouterr().out
    assert main(["show", str(path)]) == 2
    assert said in capsys.readouterr().err


def downgraded(path: Path) -> Path:
    """As a forger does who wants nobody to compare digests."""
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 1
        with_older_event_names(file, 1)
        del file["digests"]
        if "figures_digests" in file:
            del file["figures_digests"]
    return path


def test_every_command_says_that_a_file_has_no_digests(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    downgraded(path)
    assert verify(path) == 1
    assert "format version 1, without digests: nobody can tell" in capsys.readouterr().out
    for words in (["show"], ["analyze"], ["show", "--json"], ["analyze", "--json"]):
        main([words[0], str(path), *words[1:]])
        assert NO_DIGESTS in capsys.readouterr().out
    assert main(["report", str(path)]) == 0
    assert NO_DIGESTS in path.with_suffix(".html").read_text()


def test_a_file_with_digests_says_nothing_of_them(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["show", str(path)])
    assert NO_DIGESTS not in capsys.readouterr().out
