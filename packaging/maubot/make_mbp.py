"""Packs the maubot plugin: a zip file. The same sources give the same bytes. `scripts/package-maubot` runs it.

The time of all files is SOURCE_DATE_EPOCH, or 1980.

    python3 make_mbp.py FOLDER      prints the file's path
"""

from __future__ import annotations

import os
import re
import sys
import time
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent
# The first time that a zip file can hold.
EARLIEST = 315532800


def make(folder: Path) -> Path:
    """Packs the plugin into a folder, and returns the file's path."""
    found = re.search(r'^version = "(.*)"$', (PROJECT / "Cargo.toml").read_text(), re.MULTILINE)
    if not found:
        sys.exit("error: Cargo.toml names no version")
    version = found[1]
    files = {"LICENSE": (PROJECT / "LICENSE").read_bytes()}
    for name in ("maubot.yaml", "base-config.yaml", "README.md"):
        files[name] = (HERE / name).read_text().replace("VERSION", version).encode()
    for source in sorted((HERE / "myao_matrix").glob("*.py")):
        files[f"myao_matrix/{source.name}"] = source.read_bytes()
    moment = time.gmtime(max(EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH") or 0)))[:6]
    path = folder / f"dev.myao.memory-v{version}.mbp"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as plugin:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, moment)
            entry.create_system, entry.external_attr, entry.compress_type = 3, 0o100644 << 16, zipfile.ZIP_DEFLATED
            plugin.writestr(entry, files[name])
    return path


if __name__ == "__main__":
    [to] = sys.argv[1:] or [str(PROJECT / "target" / "dist")]
    print(make(Path(to)))
