"""Makes the wheel: a build backend (PEP 517) that needs nothing but Python 3.11. The same sources give the same bytes.

The components are `myao_bot.wasm` and `myao_summarizer.wasm` of MYAO_COMPONENTS (default: target/component of the project).
The time of all files is SOURCE_DATE_EPOCH, or 1980.

    python3 make_wheel.py FOLDER      prints the wheel's path
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import sys
import time
import tomllib
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent
COMPONENTS = ("myao_bot.wasm", "myao_summarizer.wasm")
# The first time that a zip file can hold.
EARLIEST = 315532800


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Makes the wheel in a folder, and returns its name."""
    version = _version()
    name = f"myao_memory-{version}-py3-none-any.whl"
    info = f"myao_memory-{version}.dist-info"
    files = {f"{info}/{file}": content for file, content in _metadata(version).items()}
    for source in sorted((HERE / "src").rglob("*")):
        if source.suffix == ".py" or source.name == "py.typed":
            files[source.relative_to(HERE / "src").as_posix()] = source.read_bytes()
    folder = Path(os.environ.get("MYAO_COMPONENTS") or PROJECT / "target" / "component")
    for component in COMPONENTS:
        file = folder / component
        if not file.exists():
            sys.exit(f"error: {file} is not there\nRun: make component")
        files[f"myao/components/{component}"] = file.read_bytes()
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD")
    moment = time.gmtime(max(EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH") or 0)))[:6]
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        # The description of the package comes last, as the format recommends.
        for path in sorted(files, key=lambda path: (path.startswith(info), path)):
            entry = zipfile.ZipInfo(path, moment)
            entry.create_system, entry.external_attr, entry.compress_type = 3, 0o100644 << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, files[path])
    return name


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Not offered: the components are not among the sources."""
    raise NotImplementedError("install the wheel instead: scripts/package-pypi makes it")


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Not offered: the sources of the components are those of the whole project."""
    raise NotImplementedError("there is no source distribution: the components are built by `make component`")


def _version() -> str:
    found = re.search(r'^version = "(.*)"$', (PROJECT / "Cargo.toml").read_text(), re.MULTILINE)
    if not found:
        sys.exit("error: Cargo.toml names no version")
    return found[1]


def _metadata(version: str) -> dict[str, bytes]:
    project: dict[str, Any] = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"Keywords: {','.join(project['keywords'])}",
        f"License-Expression: {project['license']}",
        "License-File: LICENSE",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {dependency}" for dependency in project["dependencies"]),
        "Description-Content-Type: text/markdown",
    ]
    readme = (HERE / project["readme"]).read_text().replace("VERSION", version)
    described = "\n".join(lines) + "\n\n" + readme
    return {
        "METADATA": described.encode(),
        "WHEEL": b"Wheel-Version: 1.0\nGenerator: myao\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "licenses/LICENSE": (PROJECT / "LICENSE").read_bytes(),
    }


def _record(files: dict[str, bytes], own: str) -> bytes:
    def row(path: str, content: bytes) -> str:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        return f"{path},sha256={digest},{len(content)}"

    rows = [row(path, files[path]) for path in sorted(files)]
    return "\n".join([*rows, f"{own},,", ""]).encode()


if __name__ == "__main__":
    [folder] = sys.argv[1:] or [str(PROJECT / "target" / "dist")]
    print(Path(folder) / build_wheel(folder))
