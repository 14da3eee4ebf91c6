"""Compiled code is kept, and used only if nobody else can have written it."""

import gc
import os
import sys
import tempfile
import unittest
import weakref
from pathlib import Path

from wasmtime import Engine
from wasmtime.component import Component

from myao import Memory, _cache

EMPTY = b"\0asm\x0d\0\x01\0"


@unittest.skipIf(sys.platform == "win32", "Windows has no owners and modes of Unix")
class Cache(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "cache"

    def load(self, folder: Path | None = None) -> Component:
        return _cache.load_or_compile(Engine(), EMPTY, folder or self.folder, "none")

    def file(self) -> Path:
        [file] = self.folder.glob("*.cwasm")
        return file

    def refused(self, told: str, folder: Path | None = None) -> None:
        """The code is compiled anew, and a warning says why."""
        with self.assertLogs("myao", "WARNING") as logged:
            self.load(folder)
        self.assertIn(told, "\n".join(logged.output))

    def test_code_is_kept_in_a_private_file_and_loaded_again(self) -> None:
        with self.assertNoLogs("myao") if sys.version_info >= (3, 10) else self.subTest():
            self.load()
            written = self.file().stat()
            self.load()
        self.assertEqual((written.st_mode & 0o777, self.folder.stat().st_mode & 0o777), (0o600, 0o700))
        self.assertEqual(self.file().stat().st_mtime_ns, written.st_mtime_ns)

    def test_a_folder_that_others_can_write_to_is_refused(self) -> None:
        self.load()
        self.folder.chmod(0o777)
        self.refused("others may write to its folder; take that right away (chmod go-w)")

    def test_a_folder_that_others_can_exchange_is_refused(self) -> None:
        self.load()
        self.folder.parent.chmod(0o777)
        self.refused("others may exchange a folder above it; name another one")

    def test_a_file_that_others_may_have_written_is_refused(self) -> None:
        self.load()
        self.file().chmod(0o620)
        self.refused("others may have written it")

    def test_links_are_refused(self) -> None:
        self.load()
        link = self.folder.parent / "link"
        link.symlink_to(self.folder)
        self.refused("its folder is a symbolic link or no folder", link)
        moved = self.folder.parent / "moved"
        self.file().rename(moved)
        (self.folder / self.name()).symlink_to(moved)
        self.refused("is not used")

    def name(self) -> str:
        return _cache._name(EMPTY, "none")

    def test_a_damaged_file_is_refused_and_made_anew(self) -> None:
        self.load()
        content = self.file().read_bytes()
        self.file().write_bytes(content[:100] + b"\0" + content[101:])
        self.refused("it is not as it was written")
        self.assertEqual(self.file().read_bytes()[-32:], content[-32:])

    @unittest.skipUnless(hasattr(os, "geteuid") and os.geteuid() == 0, "only root can give files away")
    def test_what_belongs_to_another_user_is_refused(self) -> None:
        self.load()
        os.chown(self.file(), 1, 1)
        self.refused("it belongs to another user")
        os.chown(self.folder, 1, 1)
        self.refused("its folder belongs to another user; name another one")

    def test_old_files_of_ours_are_removed_and_no_others(self) -> None:
        self.load()
        old, other = self.folder / f"{'0' * 64}.cwasm", self.folder / "notes.cwasm"
        for path in (old, other):
            path.write_text("code")
            os.utime(path, (1, 1))
        self.file_of_another_component()
        self.assertEqual((old.exists(), other.exists()), (False, True))

    def file_of_another_component(self) -> None:
        _cache.load_or_compile(Engine(), EMPTY, self.folder, "others")


class Loading(unittest.IsolatedAsyncioTestCase):
    async def test_memories_share_compiled_code_and_leave_nothing_behind(self) -> None:
        first, second = await Memory.load(), await Memory.load()
        self.assertIs(first._plugin._component, second._plugin._component)
        plugin = weakref.ref(first._plugin)
        first.close()
        del first
        gc.collect()
        self.assertIsNone(plugin())
        second.close()

    async def test_a_memory_loads_with_a_cache_and_without(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for cache in (Path(folder) / "cache", Path(folder) / "cache", None):
                async with await Memory.load(cache_folder=cache) as memory:
                    self.assertEqual(memory.component.name, "myao")
