"""The packed plugin: the same bytes each time, and one that maubot loads."""

import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from myao import ConfigurationError
from myao_matrix.options import read
from ruamel.yaml import YAML

HERE = Path(__file__).parent.parent
MBP = Path(os.environ["MYAO_MBP"])


class Package(unittest.TestCase):
    def test_the_same_sources_give_the_same_bytes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, HERE / "make_mbp.py", folder], check=True, capture_output=True, text=True)
            self.assertEqual(Path(made.stdout.strip()).read_bytes(), MBP.read_bytes())
        self.assertRegex(MBP.name, r"^dev\.myao\.memory-v[0-9]+\.[0-9]+\.[0-9]+\.mbp$")

    def test_maubot_loads_it(self) -> None:
        # In a process of its own, which has not loaded the sources.
        code = f"import asyncio\nfrom maubot.loader import ZippedPluginLoader as L\nl = L({str(MBP)!r})\n"
        code += "print(asyncio.run(l.load()).__name__, l.meta.id, l.meta.version)"
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment)
        self.assertEqual(loaded.stdout.split()[:2], ["MyaoBot", "dev.myao.memory"])

    def test_nothing_but_the_plugin_is_in_it(self) -> None:
        with zipfile.ZipFile(MBP) as plugin:
            others = [name for name in plugin.namelist() if not name.startswith("myao_matrix/")]
        self.assertEqual(others, ["LICENSE", "README.md", "base-config.yaml", "maubot.yaml"])


class Options(unittest.TestCase):
    def setUp(self) -> None:
        self.config = YAML(typ="safe").load(HERE / "base-config.yaml")

    def test_the_base_configuration_is_accepted(self) -> None:
        options = read(self.config, "Mia")
        self.assertEqual((options.name, options.server, options.rooms), ("Mia", None, []))
        self.assertEqual(options.settings, {"persona.name": "Mia"})

    def test_what_is_wrong_is_named(self) -> None:
        wrong = {
            "rooms": ["general"],
            "history_events": -1,
            "tick_seconds": "soon",
            "timezone": "Europe/Nowhere",
            "settings": {"a": []},
            "model": {"base_url": "http://127.0.0.1:1/v1"},
            "persona": "Mia",
        }
        for key, value in wrong.items():
            with self.assertRaisesRegex(ConfigurationError, f"^{key}"):
                read(self.config | {key: value}, "Mia")


if __name__ == "__main__":
    unittest.main()
