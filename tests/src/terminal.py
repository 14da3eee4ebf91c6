"""Runs a program in a terminal of its own, and prints every byte that it sends there.

terminal.py LINES PROGRAM ARGUMENT…: types one line of LINES (JSON) for each prompt `> `, and Ctrl-D behind the last. A line that
ends in Ctrl-C is left.
"""

import json
import os
import pty
import sys

typed = [line if line.endswith("\x03") else line + "\r" for line in json.loads(sys.argv[1])]
typed = typed + ["\x04"] if typed else []
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
seen = b""
while True:
    try:
        some = os.read(terminal, 65536)
    except OSError:  # Linux's way to say that the other side is closed
        break
    if not some:
        break
    os.write(1, some)
    seen += some
    if b"> " in seen and typed:
        os.write(terminal, typed.pop(0).encode())
        seen = b""
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
