"""The file of a `SqliteStore`."""

import signal
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from myao import ConfigurationError, SqliteStore, StorageError
from myao.storage import Given
from tests.stores import READ, short_term

WRITER = """
import itertools, sys, myao
store = myao.SqliteStore(sys.argv[1])
for number in itertools.count():
    print(store.say("C1", "Aki", f"message {number}", 5), flush=True)
"""


class File(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "team.db"

    def open(self) -> SqliteStore:
        store = SqliteStore(self.path)
        self.addCleanup(store.close)
        return store

    def test_only_the_user_may_read_it(self) -> None:
        self.open()
        self.assertEqual(self.path.stat().st_mode & 0o077, 0)

    def test_what_is_stored_is_there_after_a_restart(self) -> None:
        store = self.open()
        store.add_channel("C1", "general", is_private=False)
        store.say("C1", "Aki", "hello", 5)
        saved = store.save_memory(short_term("C1", "5.000001"), Given(["C1"], {}, {}))
        store.close()
        again = self.open()
        self.assertEqual([message.text for message in again.list_messages(READ)], ["hello"])
        self.assertEqual(again.memories(), [saved])

    @unittest.skipIf(sys.platform == "win32", "Windows has no SIGKILL")
    def test_a_program_that_is_killed_loses_nothing_that_it_said(self) -> None:
        self.open().add_channel("C1", "general", is_private=False)
        with subprocess.Popen([sys.executable, "-c", WRITER, self.path], stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout
            said = [writer.stdout.readline().strip() for _ in range(20)]
            writer.send_signal(signal.SIGKILL)
            said += writer.stdout.read().split()
        stored = [message.ts for message in self.open().list_messages(READ)]
        self.assertEqual(stored[: len(said)], said)
        self.assertLessEqual(len(stored), len(said) + 1)

    def test_stores_and_threads_share_a_file(self) -> None:
        stores = [self.open(), self.open()]
        stores[0].add_channel("C1", "general", is_private=False)
        with ThreadPoolExecutor(8) as threads:
            ids = list(
                threads.map(lambda number: stores[number % 2].say("C1", "Aki", f"message {number}", 5), range(80))
            )
        self.assertEqual(len(set(ids)), 80)
        self.assertEqual(len(stores[0].list_messages(READ)), 80)

    def test_a_file_of_another_version_or_kind_is_refused(self) -> None:
        store = self.open()
        store._run("PRAGMA user_version = 9")
        store.close()
        with self.assertRaises(ConfigurationError) as raised:
            SqliteStore(self.path)
        self.assertEqual(raised.exception.code, "incompatible-version")
        self.assertIn("has version 9 of the tables, and this package needs 1", raised.exception.text)
        self.path.write_text("no database at all, but a text that is long enough" * 40)
        for path in (self.path, self.path.parent, self.path.parent / "nowhere" / "team.db"):
            with self.assertRaises(ConfigurationError) as raised:
                SqliteStore(path)
            self.assertEqual(raised.exception.code, "no-database")

    def test_a_database_that_is_full_or_gone_is_an_error_of_the_contract(self) -> None:
        store = self.open()
        store._run("PRAGMA query_only = ON")
        with self.assertRaises(StorageError) as raised:
            store.add_channel("C1", "general", is_private=False)
        self.assertEqual((raised.exception.code, raised.exception.retry), ("unavailable", "later"))
