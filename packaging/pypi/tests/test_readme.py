"""What the README promises to somebody who has only the wheel: a bot in ten lines, offline."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import venv
from pathlib import Path

HERE = Path(__file__).parent
README = (HERE.parent / "README.md").read_text()


def first_program() -> str:
    found = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert found
    return found[1]


class Readme(unittest.TestCase):
    def test_the_first_program_has_ten_lines(self) -> None:
        lines = [line for line in first_program().splitlines() if line.strip()]
        self.assertLessEqual(len(lines), 10)

    def test_a_bot_remembers_and_answers_from_the_wheel_alone(self) -> None:
        wheels = Path(os.environ["MYAO_WHEELS"])
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            venv.create(folder / "venv", with_pip=True)
            python = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
            environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MYAO"))}
            # The cache of compiled code is empty, too.
            environment["XDG_CACHE_HOME"] = str(folder / "cache")
            install = ["-m", "pip", "install", "--quiet", "--no-index", "--find-links", wheels, "myao-memory"]
            subprocess.run([python, *install], check=True, env=environment, cwd=folder)
            ask = [python, "-c", "import myao; print(myao.__version__)"]
            version = subprocess.run(ask, check=True, capture_output=True, text=True, env=environment, cwd=folder).stdout
            self.assertEqual([wheel.name.split("-")[1] for wheel in wheels.glob("myao_memory-*")], [version.strip()])
            (folder / "bot.py").write_text(first_program())

            def talk(*lines: str) -> str:
                said = "".join(f"{line}\n" for line in (*lines, ""))
                command = [python, "-W", "error", "bot.py"]
                run = subprocess.run(command, input=said, capture_output=True, text=True, env=environment, cwd=folder)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                return run.stdout

            talk("The crane comes on 3 March.", "Lunch is ordered for 24 people.")
            answer = talk("When does the crane come?")
            self.assertRegex(answer, r"messages:\n- “The crane comes on 3 March\.” .*\[1\]\n")
            self.assertEqual((folder / "team.db").stat().st_mode & 0o077, 0)


if __name__ == "__main__":
    unittest.main()
