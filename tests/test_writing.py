"""The one writer: whole or not at all, modes kept, devices written through, sets never mixed."""

import os
import stat
import threading
from pathlib import Path

import pytest

from handful.writing import (
    check_folder,
    check_place,
    open_atomically,
    write_atomically,
    write_folder,
)


@pytest.fixture(params=[0o022, 0o077, 0o002])
def umask(request):
    old = os.umask(request.param)
    yield request.param
    os.umask(old)


def _mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_new_files_follow_the_umask_which_nobody_touches(umask, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask belongs to all threads"))
    write_atomically(tmp_path / "a", "text")
    write_folder(tmp_path / "set", {"b": "text"})
    monkeypatch.undo()
    assert _mode(tmp_path / "a") == _mode(tmp_path / "set" / "b") == 0o666 & ~umask
    assert _mode(tmp_path / "set") == 0o777 & ~umask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_modes_are_kept_from_the_first_byte_on(mode, tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(mode)
    with open_atomically(path) as file:
        (hidden,) = (p for p in tmp_path.iterdir() if p != path)
        assert _mode(hidden) == mode
        file.write(b"new")
    assert _mode(path) == mode
    assert path.read_text() == "new"
    for others in ({}, {"other": "text"}):  # swapped as a whole, and moved in beside another file
        folder = tmp_path / f"set{len(others)}"
        write_folder(folder, {"a": "old", **others})
        (folder / "a").chmod(mode)
        folder.chmod(0o700)
        write_folder(folder, {"a": "new"}, overwrite=True)
        assert (_mode(folder / "a"), _mode(folder)) == (mode, 0o700)


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file(error, step, tmp_path, monkeypatch):
    target = tmp_path / "m.json"
    target.write_text("old")

    def fail(*_):
        raise error("disk full")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(error, match="disk full"):
        write_atomically(target, "new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_bytes_are_on_the_disk_before_the_name_is(tmp_path, monkeypatch):
    steps = []
    fsync, replace, rename = os.fsync, os.replace, Path.rename
    monkeypatch.setattr(os, "fsync", lambda fd: (steps.append("fsync"), fsync(fd)))
    monkeypatch.setattr(os, "replace", lambda *a: (steps.append("rename"), replace(*a)))
    monkeypatch.setattr(Path, "rename", lambda *a: (steps.append("rename"), rename(*a)))
    write_atomically(tmp_path / "a", "text")
    assert steps == ["fsync", "rename", "fsync"]  # the file; then the folder
    steps.clear()
    write_folder(tmp_path / "set", {"a": "1", "b": "2"})
    assert steps == ["fsync", "fsync", "fsync", "rename", "fsync"]


def test_what_exists_is_not_replaced(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(FileExistsError, match="exists already"):
        check_place(path, overwrite=False)
    with pytest.raises(FileExistsError, match="exists already"):
        write_atomically(path, "new", overwrite=False)
    with pytest.raises(FileExistsError, match="--force"):
        write_folder(tmp_path, {"a": "new", "b": "new"})
    (tmp_path / "report").write_text("old")
    with pytest.raises(FileExistsError, match="report"):
        check_folder(tmp_path, ["b", "report"], overwrite=False)
    assert path.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "report"]


def _write_late(path, **options):
    with open_atomically(path, **options) as file:
        path.write_text("theirs")
        file.write(b"ours")


def test_what_appears_in_the_meantime_is_not_replaced_either(tmp_path):
    with pytest.raises(FileExistsError, match="exists already"):
        _write_late(tmp_path / "a", overwrite=False)
    assert (tmp_path / "a").read_text() == "theirs"
    _write_late(tmp_path / "a")
    assert (tmp_path / "a").read_text() == "ours"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_without_hard_links(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    write_atomically(tmp_path / "a", "new", overwrite=False)
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_links_stay_links(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_are_written_through(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, "through", overwrite=False)
    reader.join(timeout=30)
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [p.name for p in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.skipif(not Path("/dev/null").is_char_device(), reason="no devices here")
def test_devices_are_written_through():
    write_atomically("/dev/null", "nowhere", overwrite=False)
    assert Path("/dev/null").is_char_device()


def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder" / "a").mkdir(parents=True)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        write_atomically(tmp_path / "none" / "a", "")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_atomically(tmp_path / "folder", "")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        write_folder(tmp_path / "none" / "set", {"a": ""})
    with pytest.raises(NotADirectoryError, match="is a file"):
        write_folder(tmp_path / "file", {"a": ""})
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_folder(tmp_path / "folder", {"a": ""}, overwrite=True)


def test_a_set_comes_whole_or_not_at_all(tmp_path):
    written = write_folder(tmp_path / "new", {"a": "1", "b": b"2"})
    assert [path.read_text() for path in written] == ["1", "2"]
    with pytest.raises(UnicodeEncodeError):
        write_folder(tmp_path / "bad", {"a": "fine", "b": "\ud800"})
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


@pytest.mark.parametrize("beside", [[], ["mine.txt"]])
def test_an_older_set_goes_with_all_its_files(beside, tmp_path):
    folder = tmp_path / "set"
    write_folder(folder, {"model": "old", "report": "old"})
    for name in beside:
        (folder / name).write_text("mine")
    names = ("model", "report")
    write_folder(folder, {"model": "new"}, overwrite=True, replaced=names)
    assert {p.name: p.read_text() for p in folder.iterdir()} == {
        "model": "new",
        **dict.fromkeys(beside, "mine"),
    }
    assert [p.name for p in tmp_path.iterdir()] == ["set"]


def test_the_folder_one_stands_in_is_not_swapped(tmp_path, monkeypatch):
    write_folder(tmp_path / "set", {"a": "old"})
    monkeypatch.chdir(tmp_path / "set")
    before = Path().stat().st_ino
    write_folder(".", {"a": "new"}, overwrite=True)
    assert Path("a").read_text() == "new"
    assert (tmp_path / "set").stat().st_ino == before


@pytest.mark.parametrize("beside", [[], ["mine.txt"]])
@pytest.mark.parametrize("which", [1, 2, 3])
def test_an_interruption_anywhere_brings_the_old_set_back(which, beside, tmp_path, monkeypatch):
    folder = tmp_path / "set"
    write_folder(folder, {"a": "old", "b": "old", **dict.fromkeys(beside, "mine")})
    count, rename = [0], Path.rename

    def interrupted(*words):
        count[0] += 1
        if count[0] == which:
            raise KeyboardInterrupt
        return rename(*words)

    monkeypatch.setattr(Path, "rename", interrupted)
    if which == 3 and not beside:  # a swap renames twice
        write_folder(folder, {"a": "new", "b": "new"}, overwrite=True)
    else:
        with pytest.raises(KeyboardInterrupt):
            write_folder(folder, {"a": "new", "b": "new"}, overwrite=True)
        found = {p.name: p.read_text() for p in folder.iterdir()}
        assert found == {"a": "old", "b": "old", **dict.fromkeys(beside, "mine")}
    assert [p.name for p in tmp_path.iterdir()] == ["set"]


def test_readers_of_a_folder_never_see_a_mixed_set(tmp_path):
    folder = tmp_path / "set"
    names = ("a", "b", "c")
    write_folder(folder, dict.fromkeys(names, "0"))
    done = threading.Event()

    def write():
        for k in range(1, 60):
            write_folder(folder, dict.fromkeys(names, str(k)), overwrite=True)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    n_seen = n_whole = 0
    while not done.is_set():
        try:
            here = os.open(folder, os.O_RDONLY)  # hold the folder: its name may pass to a new one
        except FileNotFoundError:
            continue
        texts = []
        for name in names:
            try:
                with open(os.open(name, os.O_RDONLY, dir_fd=here)) as file:
                    texts.append(file.read())
            except FileNotFoundError:  # the old set is being removed
                break
        os.close(here)
        n_seen += 1
        n_whole += len(texts) == 3
        assert len(set(texts)) <= 1
    writer.join()
    assert n_seen > 50
    assert n_whole > 0
