"""Keeps compiled code between starts: compiling takes about a second, loading some milliseconds.

Compiled code is run as it is, so a file is used only if nobody but this user can have written it, and if it is whole.
The checks are those of the host in Rust.
"""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import re
import secrets
import stat
import sys
import time
from importlib.metadata import version
from pathlib import Path

from wasmtime import Engine, WasmtimeError
from wasmtime.component import Component

log = logging.getLogger("myao")

_CHECKSUM_BYTES = 32
_OURS = re.compile(r"[0-9a-f]{64}\.(cwasm|partial-[0-9]+)")
_KEPT_UNUSED_SECONDS = 30 * 24 * 3600


class Refused(Exception):
    """Why a file or a folder is not used."""


def default_folder() -> Path:
    """Where compiled code is kept if no other folder is named."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "myao"


def load_or_compile(engine: Engine, wasm: bytes, folder: Path | None, settings: str) -> Component:
    """The compiled component: from the folder, or compiled now and kept there. A folder that cannot be used is reported;
    the only cost is the compilation. `settings` is what the engine was made with."""
    if folder is None:
        return Component(engine, wasm)
    name = _name(wasm, settings)
    try:
        return Component.deserialize(engine, _read(folder, name))
    except FileNotFoundError:
        pass
    except (OSError, Refused, WasmtimeError) as error:
        log.warning("%s is not used: %s", folder / name, error)
    component = Component(engine, wasm)
    try:
        _write(folder, name, bytes(component.serialize()))
        _remove_unused(folder)
    except (OSError, Refused) as error:
        log.warning("the compiled component is not kept as %s: %s", folder / name, error)
    return component


def _name(wasm: bytes, settings: str) -> str:
    """The file's name depends on the component and on all that its compilation depends on."""
    parts = (version("wasmtime"), sys.platform, platform.machine(), settings)
    digest = hashlib.sha256("\n".join(parts).encode())
    digest.update(hashlib.sha256(wasm).digest())
    return f"{digest.hexdigest()}.cwasm"


def _read(folder: Path, name: str) -> bytes:
    """The code in a file that is whole and belongs to this user. The file is opened once, so what was checked is what
    runs."""
    with _Folder(folder) as own, own.open(name) as file:
        content = file.read()
    code, checksum = content[:-_CHECKSUM_BYTES], content[-_CHECKSUM_BYTES:]
    if hashlib.sha256(code).digest() != checksum:
        raise Refused("it is not as it was written")
    return code


def _write(folder: Path, name: str, code: bytes) -> None:
    """Writes to another file, and renames it when it is complete."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = f"{name.removesuffix('.cwasm')}.partial-{secrets.randbits(63)}"
    with _Folder(folder) as own:
        own.check()
        try:
            with own.create(partial) as file:
                file.write(code + hashlib.sha256(code).digest())
                file.flush()
                os.fsync(file.fileno())
            own.rename(partial, name)
        except OSError:
            own.remove(partial)
            raise


def _remove_unused(folder: Path) -> None:
    """Removes files of other versions that were not used for a long time."""
    now = time.time()
    for path in folder.iterdir():
        status = path.lstat()
        is_old = now - max(status.st_mtime, status.st_atime) > _KEPT_UNUSED_SECONDS
        if is_old and stat.S_ISREG(status.st_mode) and _OURS.fullmatch(path.name):
            path.unlink(missing_ok=True)


class _Folder:
    """A folder of this user. It is opened once, and its files through it: replacing the folder meanwhile has no effect.
    On Windows, without the owners and modes of Unix, a folder is as private as its user has made it."""

    def __init__(self, path: Path):
        self._path = path
        self._fd: int | None = None

    def __enter__(self) -> _Folder:
        if sys.platform != "win32":
            try:
                self._fd = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            except NotADirectoryError as error:
                raise Refused("its folder is a symbolic link or no folder; name another one") from error
            except OSError as error:
                if self._path.is_symlink():
                    raise Refused("its folder is a symbolic link or no folder; name another one") from error
                raise
            if os.fstat(self._fd).st_uid != os.geteuid():
                self.__exit__()
                raise Refused("its folder belongs to another user; name another one")
        return self

    def __exit__(self, *_: object) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def check(self) -> None:
        """Whether only this user and root can have put something here. Write permission of the group is accepted above:
        where every user has a group of their own, folders are created that way."""
        if self._fd is None or sys.platform == "win32":
            return
        if os.fstat(self._fd).st_mode & 0o022:
            raise Refused("others may write to its folder; take that right away (chmod go-w)")
        for parent in self._path.resolve().parents:
            status = parent.lstat()
            is_open = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
            if status.st_uid not in (0, os.geteuid()) or is_open:
                raise Refused("others may exchange a folder above it; name another one")

    def open(self, name: str):
        """Opens a file that only this user can have written."""
        if self._fd is None or sys.platform == "win32":
            return open(self._path / name, "rb")
        # Without O_NONBLOCK, opening a FIFO would wait for a writer.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        file = open(os.open(name, flags, dir_fd=self._fd), "rb")
        try:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise Refused("it is no plain file")
            if status.st_uid != os.geteuid():
                raise Refused("it belongs to another user")
            if status.st_mode & 0o077:
                raise Refused("others may have written it")
            self.check()
        except BaseException:
            file.close()
            raise
        return file

    def create(self, name: str):
        """Creates a new file that only this user may read and write."""
        if self._fd is None or sys.platform == "win32":
            return open(self._path / name, "xb")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        return open(os.open(name, flags, 0o600, dir_fd=self._fd), "wb")

    def rename(self, old: str, new: str) -> None:
        """Gives a file another name, in place of what has it."""
        if self._fd is None:
            os.replace(self._path / old, self._path / new)
        else:
            os.replace(old, new, src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def remove(self, name: str) -> None:
        """Removes a file, if it is there."""
        try:
            if self._fd is None:
                os.unlink(self._path / name)
            else:
                os.unlink(name, dir_fd=self._fd)
        except FileNotFoundError:
            pass
