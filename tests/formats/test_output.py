"""Outputs are whole or not there, whatever happens while they are written."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ikpca_cli.errors import InputError, OutputError
from ikpca_cli.formats.arrays import ReadOptions, default_output, read_rows, write_rows
from ikpca_cli.formats.output import (
    ExistsError,
    atomic_write,
    check_target,
    identity,
    new_names,
)
from ikpca_cli.formats.temporary import remove_leftovers


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), SystemExit(1), InputError("bad row"), ValueError("bug")]
)
def test_an_interrupted_write_leaves_the_old_file_or_none(tmp_path, exists, error):
    target = tmp_path / "out.npy"
    if exists:
        target.write_bytes(b"old")

    def write():
        with atomic_write(str(target), force=True) as handle:
            handle.write(b"half")
            raise error

    with pytest.raises(type(error)):
        write()
    assert left_in(tmp_path) == (["out.npy"] if exists else [])
    assert not exists or target.read_bytes() == b"old"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failing_disk_is_one_line_and_no_file(tmp_path, monkeypatch, code, call):
    target = tmp_path / "out.npy"
    target.write_bytes(b"old")

    def fail(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(*((os, "fsync") if call == "fsync" else (Path, "replace")), fail)
    with (
        pytest.raises(OutputError) as caught,
        atomic_write(str(target), force=True) as handle,
    ):
        handle.write(b"new")
    assert str(caught.value) == f"{target}: cannot be written: {os.strerror(code).lower()}"
    assert left_in(tmp_path) == ["out.npy"]
    assert target.read_bytes() == b"old"


def test_the_folder_of_many_files_is_made_safe_once_at_their_end(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(
        os, "fsync", lambda file: synced.append(os.readlink(f"/proc/self/fd/{file}"))
    )
    for name in "ab":
        with atomic_write(str(tmp_path / name), force=False) as handle:
            handle.write(b"alone")
    assert synced[1::2] == [str(tmp_path)] * 2
    synced.clear()
    with new_names:
        for name in "cd":
            with atomic_write(str(tmp_path / name), force=False) as handle:
                handle.write(b"one of many")
        assert len(synced) == 2
        assert str(tmp_path) not in synced
    assert synced[2:] == [str(tmp_path)]


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".csv", ".csv.gz", ".h5", ".mat"])
def test_a_full_disk_leaves_nothing_in_any_format(small_disk, tmp_path, suffix):
    np.save(tmp_path / "in.npy", np.random.default_rng(0).normal(size=(400, 200)))
    with read_rows(str(tmp_path / "in.npy")) as rows, pytest.raises(OutputError) as caught:
        write_rows(str(small_disk / f"out{suffix}"), rows.read(), rows.layout)
    assert str(caught.value).endswith("cannot be written: no space left on device")
    assert left_in(small_disk) == []


def test_permissions_are_what_the_umask_says(tmp_path):
    old = os.umask(0o027)
    try:
        with atomic_write(str(tmp_path / "out"), force=False) as handle:
            handle.write(b"new")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_a_replaced_file_hands_on_its_permissions(tmp_path):
    target = tmp_path / "out"
    target.write_bytes(b"old")
    for mode in (0o600, 0o664, 0o400):
        target.chmod(mode)
        with atomic_write(str(target), force=True) as handle:
            assert stat.S_IMODE(os.fstat(handle.fileno()).st_mode) & 0o177 & ~mode == 0
            handle.write(b"new")
        assert stat.S_IMODE(target.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_replaced_file_hands_on_its_owner(tmp_path):
    target = tmp_path / "out"
    target.write_bytes(b"old")
    os.chown(target, 12345, 54321)
    with atomic_write(str(target), force=True) as handle:
        handle.write(b"new")
    assert (target.stat().st_uid, target.stat().st_gid) == (12345, 54321)


def test_what_a_killed_process_left_is_gone_after_the_next_output(tmp_path):
    script = (
        "import sys, time\nfrom ikpca_cli.formats.output import atomic_write\n"
        "with atomic_write(sys.argv[1], force=True) as handle:\n"
        "    handle.write(b'half'); handle.flush(); print('writing', flush=True); time.sleep(60)\n"
    )
    processes = []
    for name in ("killed", "alive"):
        command = [sys.executable, "-c", script, str(tmp_path / name)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout.readline() == "writing\n"
        if name == "killed":
            process.kill()
            process.wait()
            process.stdout.close()
    assert len(left_in(tmp_path)) == 1  # the second has taken away what the first one left
    remove_leftovers(tmp_path)
    assert len(left_in(tmp_path)) == 1  # and is at work itself
    processes[1].terminate()
    processes[1].communicate()


def test_a_file_that_is_taken_for_a_leftover_is_made_again(tmp_path, monkeypatch):
    flock, thefts = fcntl.flock, []

    def steal(file, how):
        if not thefts:
            thefts.extend(tmp_path.glob(".ikpca-*"))
            thefts[0].unlink()
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", steal)
    with atomic_write(str(tmp_path / "out"), force=False) as handle:
        handle.write(b"new")
    assert thefts
    assert left_in(tmp_path) == ["out"]
    assert (tmp_path / "out").read_bytes() == b"new"


def test_only_the_file_that_was_seen_is_replaced(tmp_path):
    target = tmp_path / "model"
    target.write_bytes(b"first")
    seen = identity(str(target))
    with atomic_write(str(target), force=True, replaces=seen) as handle:
        handle.write(b"mine")
    assert target.read_bytes() == b"mine"

    def late():
        with atomic_write(str(target), force=True, replaces=seen) as handle:
            handle.write(b"late")

    with pytest.raises(ExistsError, match="changed by someone else meanwhile.*run it again"):
        late()
    assert target.read_bytes() == b"mine"
    target.unlink()
    with pytest.raises(ExistsError, match="changed by someone else"):
        late()
    assert left_in(tmp_path) == []


def test_an_existing_file_needs_force(tmp_path):
    target = tmp_path / "out"
    target.write_bytes(b"old")
    with pytest.raises(OutputError, match="exists already; use --force"):
        atomic_write(str(target), force=False).__enter__()
    with atomic_write(str(target), force=True) as handle:
        handle.write(b"new")
    assert target.read_bytes() == b"new"
    assert left_in(tmp_path) == ["out"]


@pytest.mark.parametrize("hard_links", [True, False])
def test_a_file_that_came_meanwhile_is_not_overwritten(tmp_path, monkeypatch, hard_links):
    if not hard_links:

        def link(*_):
            raise OSError(errno.EPERM, "no hard links here")

        monkeypatch.setattr(os, "link", link)
    target = tmp_path / "out"

    def write():
        with atomic_write(str(target), force=False) as handle:
            handle.write(b"mine")
            target.write_bytes(b"theirs")

    with pytest.raises(OutputError, match="exists already"):
        write()
    assert target.read_bytes() == b"theirs"
    assert left_in(tmp_path) == ["out"]


def test_a_file_is_made_where_hard_links_are_impossible(tmp_path, monkeypatch):
    def link(*_):
        raise OSError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", link)
    with atomic_write(str(tmp_path / "out"), force=False) as handle:
        handle.write(b"new")
    assert (tmp_path / "out").read_bytes() == b"new"


def test_a_symbolic_link_is_followed_and_stays(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real" / "file")
    with atomic_write(str(tmp_path / "link"), force=True) as handle:
        handle.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "file").read_bytes() == b"new"


def test_devices_and_pipes_are_written_to_not_replaced(tmp_path):
    with atomic_write("/dev/null", force=False) as handle:
        handle.write(b"gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE) as reader:
        with atomic_write(str(tmp_path / "pipe"), force=False) as handle:
            handle.write(b"through")
        assert reader.communicate()[0] == b"through"


@pytest.mark.parametrize("kind", ["same", "dotted", "symlink", "hard link"])
def test_an_input_is_never_overwritten(tmp_path, kind):
    source = tmp_path / "in.npy"
    source.write_bytes(b"data")
    target = tmp_path / "other.npy"
    if kind == "same":
        target = source
    elif kind == "dotted":
        (tmp_path / "sub").mkdir()
        target = tmp_path / "sub" / ".." / "in.npy"
    elif kind == "symlink":
        target.symlink_to(source)
    else:
        os.link(source, target)
    with pytest.raises(OutputError, match="is the input .*in.npy itself"):
        check_target(str(target), inputs=["nothing", str(source)], force=True)


def test_impossible_targets_are_refused_before_any_work(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to(tmp_path / "none" / "file")
    for target, reason in [
        (tmp_path, "is a folder"),
        (tmp_path / "none" / "out.npy", "does not exist; create it"),
        (f"{tmp_path}/none/", "does not exist; create it"),
        (tmp_path / "dangling", "is a link into"),
    ]:
        with pytest.raises(OutputError, match=reason):
            check_target(str(target), inputs=[], force=True)
    with pytest.raises(OutputError, match=r"cannot be written: (file name too long|invalid)"):
        atomic_write(str(tmp_path / ("x" * 300)), force=True).__enter__()
    check_target(str(tmp_path / ("x" * 255)), inputs=[], force=False)
    check_target("-", inputs=["-"], force=False)


def test_a_name_as_long_as_names_can_be_is_written(tmp_path):
    target = tmp_path / ("x" * 255)
    with atomic_write(str(target), force=False) as handle:
        handle.write(b"new")
    assert target.read_bytes() == b"new"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_one_line(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="cannot be written: permission denied"):
        atomic_write(str(tmp_path / "out"), force=False).__enter__()
    tmp_path.chmod(0o700)


def test_an_interrupt_from_outside_leaves_the_old_file(tmp_path):
    target = tmp_path / "out"
    target.write_bytes(b"old")
    script = (
        "import sys, time\nfrom ikpca_cli.formats.output import atomic_write\n"
        "with atomic_write(sys.argv[1], force=True) as handle:\n"
        "    handle.write(b'half'); handle.flush(); print('writing', flush=True); time.sleep(60)\n"
    )
    command = [sys.executable, "-c", script, str(target)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        assert len(left_in(tmp_path)) == 2
        process.send_signal(signal.SIGINT)
    assert process.returncode != 0
    assert left_in(tmp_path) == ["out"]
    assert target.read_bytes() == b"old"


@pytest.mark.parametrize(
    ("path", "directory", "expected"),
    [
        ("noisy.npy", None, "noisy.denoised.npy"),
        ("a/noisy.csv.gz", None, "a/noisy.denoised.csv.gz"),
        ("a/noisy.csv.GZ", "out", "out/noisy.denoised.csv.GZ"),
        ("a.b/noisy", None, "a.b/noisy.denoised"),
        ("run.1.h5", "out", "out/run.1.denoised.h5"),
        ("-", None, "-"),
        ("-", "out", "out/stdin.denoised"),
    ],
)
def test_default_output(path, directory, expected):
    assert default_output(path, directory) == expected


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".csv", ".h5", ".mat"])
def test_standard_input_and_output_are_pipes(tmp_path, suffix):
    values = np.arange(12.0).reshape(3, 4)
    np.save(tmp_path / "in.npy", values)
    with read_rows(str(tmp_path / "in.npy")) as rows:
        write_rows(str(tmp_path / f"in{suffix}"), values, rows.layout, force=True)
    script = (
        "from ikpca_cli.formats.arrays import read_rows, write_rows\n"
        "rows = read_rows('-')\nwrite_rows('-', rows.read() + 1, rows.layout)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=(tmp_path / f"in{suffix}").read_bytes(),
        capture_output=True,
        check=True,
    )
    (tmp_path / f"out{suffix}").write_bytes(done.stdout)
    with read_rows(str(tmp_path / f"out{suffix}"), ReadOptions()) as rows:
        np.testing.assert_array_equal(rows.read(), values + 1)
