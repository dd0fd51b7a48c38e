"""Files written whole or not at all, alone or as one set.

A file is written beside its place under a hidden name, forced to disk and renamed. New files
follow the umask of the process, replaced ones keep mode and owner. Devices and pipes are
written through: there is nothing to rename.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PathLike = str | os.PathLike[str]


def write_atomically(path: PathLike, content: str | bytes, *, overwrite: bool = True) -> None:
    """Write a file whole or not at all.

    Parameters
    ----------
    path : path
        A device or pipe is written through.
    content : str or bytes
        Text is encoded as UTF-8.
    overwrite : bool
        False refuses to replace a file, also one that appears in the meantime.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(f"{folder}/a.txt", "whole")
    ...     print(Path(folder, "a.txt").read_text())
    whole
    """
    with open_atomically(path, overwrite=overwrite) as file:
        file.write(_as_bytes(content))


@contextmanager
def open_atomically(path: PathLike, *, overwrite: bool = True) -> Iterator[IO[bytes]]:
    """A binary file to write to, which takes its place when the block ends without an error.

    Examples
    --------
    >>> import tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_atomically(f"{folder}/a.txt") as file:
    ...         _ = file.write(b"half")
    ...         print(os.path.exists(f"{folder}/a.txt"))
    ...     print(os.listdir(folder))
    False
    ['a.txt']
    """
    if is_stream(path):
        with Path(path).open("wb") as file:
            yield file
        return
    check_place(path, overwrite=overwrite)
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = _hidden_name(target)
    try:
        with os.fdopen(_create(temporary, target), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _move(temporary, target, overwrite)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def write_folder(
    folder: PathLike,
    contents: Mapping[str, str | bytes],
    *,
    overwrite: bool = False,
    replaced: Collection[str] = (),
) -> list[Path]:
    """Write a set of files into a folder: all of them or none, never mixed with older ones.

    A folder that is new, empty or holds nothing but an older set is swapped as a whole. In one
    that holds other files, the older set is moved aside before the new one moves in.

    Parameters
    ----------
    folder : path
        Its parent must exist.
    contents : mapping
        Texts or bytes by file name.
    overwrite : bool
        Whether an older set may be replaced.
    replaced : collection of str
        Names that belong to an older set, and go with it, even if this set has no such file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = write_folder(f"{folder}/results", {"a.txt": "1", "b.txt": "2"})
    ...     print([path.name for path in paths])
    ['a.txt', 'b.txt']
    """
    names = {*contents, *replaced}
    check_folder(folder, names, overwrite=overwrite)
    place = Path(os.path.realpath(folder))
    is_swapped = not place.exists() or _is_replaceable(place, names)
    fresh = _hidden_name(place if is_swapped else place / "set")
    try:
        _fill(fresh, contents, place)
        if is_swapped:
            _swap(fresh, place)
        else:
            _move_in(fresh, place, contents, names)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    _sync_folder(place.parent)
    return [Path(folder) / name for name in contents]


def is_stream(path: PathLike) -> bool:
    """Whether a path is a device, a pipe or a socket, or a name of an open file in /dev."""
    text = os.path.abspath(path)
    if text.startswith(("/dev/fd/", "/proc/")) or text in ("/dev/stdout", "/dev/stderr"):
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def check_place(path: PathLike, *, overwrite: bool) -> None:
    """Raise if a file cannot or may not be written; called before long work."""
    if is_stream(path):
        return
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder {target.parent} does not exist. Create it first.")
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder. Give the name of a file.")
    if not overwrite and target.exists():
        raise _exists(path)


def check_folder(folder: PathLike, names: Collection[str], *, overwrite: bool) -> None:
    """Raise if a set of files cannot or may not be written; called before long work."""
    place = Path(os.path.realpath(folder))
    if not place.parent.is_dir():
        raise FileNotFoundError(f"the folder {place.parent} does not exist. Create it first.")
    if place.exists() and not place.is_dir():
        raise NotADirectoryError(f"{folder} is a file, not a folder. Choose another one.")
    for name in sorted(names):
        if (place / name).is_dir():
            raise IsADirectoryError(f"{Path(folder) / name} is a folder. Choose another place.")
        if not overwrite and os.path.lexists(place / name):
            raise _exists(Path(folder) / name)


def _exists(path: PathLike) -> FileExistsError:
    return FileExistsError(
        f"{path} exists already. Choose another name, or say that it may be replaced (--force)."
    )


def _as_bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _hidden_name(path: Path) -> Path:
    return path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}")


def _create(temporary: Path, target: Path) -> int:
    """A new file with the mode of what it will replace, else the one the umask gives."""
    # O_EXCL: a name that exists already, also as a link, is refused.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666)
    if target.exists():
        _keep_mode(descriptor, target)
    return descriptor


def _keep_mode(descriptor: int, target: Path) -> None:
    """Before anything is written, so that a private file is never readable by others."""
    old = target.stat()
    if hasattr(os, "fchown"):
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _fill(fresh: Path, contents: Mapping[str, str | bytes], place: Path) -> None:
    """A new folder with all files of a set, forced to disk."""
    fresh.mkdir()
    for name, content in contents.items():
        with os.fdopen(_create(fresh / name, place / name), "wb") as file:
            file.write(_as_bytes(content))
            file.flush()
            os.fsync(file.fileno())
    _sync_folder(fresh)


def _move(temporary: Path, target: Path, overwrite: bool) -> None:
    if overwrite:
        os.replace(temporary, target)
        return
    try:
        os.link(temporary, target)  # unlike a rename, it never replaces
    except FileExistsError:
        raise _exists(target) from None
    except OSError:  # no hard links here
        if target.exists():
            raise _exists(target) from None
        os.replace(temporary, target)
    else:
        temporary.unlink()


def _is_replaceable(place: Path, names: Collection[str]) -> bool:
    """Whether a folder holds a set and nothing else, and no process stands in it by its name."""
    is_here = Path.cwd().is_relative_to(place)
    is_all = all(name in names for name in os.listdir(place))
    return is_all and not is_here and not os.path.ismount(place)


def _swap(fresh: Path, place: Path) -> None:
    """Move the old folder aside, if there is one; the fresh one takes its place."""
    if not place.exists():
        fresh.rename(place)
        return
    aside = _hidden_name(place)
    # The new folder gets the permissions of the old one.
    shutil.copymode(place, fresh)
    try:
        place.rename(aside)
        fresh.rename(place)
    except BaseException:
        if aside.exists() and not place.exists():
            aside.rename(place)
        raise
    finally:
        if aside.exists() and place.exists():
            shutil.rmtree(aside, ignore_errors=True)


def _move_in(
    fresh: Path, place: Path, contents: Mapping[str, str | bytes], names: Collection[str]
) -> None:
    """The old files of the set step aside, then the new ones move in beside the other files."""
    aside = {n: _hidden_name(place / n) for n in sorted(names) if os.path.lexists(place / n)}
    try:
        for name, hidden in aside.items():
            (place / name).rename(hidden)
        for name in contents:
            (fresh / name).rename(place / name)
    except BaseException:
        for name in contents:
            if not (fresh / name).exists():  # it has moved in
                (place / name).unlink(missing_ok=True)
        for name, hidden in aside.items():
            if os.path.lexists(hidden):
                hidden.replace(place / name)
        raise
    for hidden in aside.values():
        hidden.unlink(missing_ok=True)
    _sync_folder(place)


def _sync_folder(folder: Path) -> None:
    """Force names to disk, if the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
