"""Times Python's Jinja2 on one context.

Reads the template's variables as one line of JSON and writes the prompt as one. Then reads on every line how often
to render, and writes the nanoseconds that all of it took.
"""

import json
import sys
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "jinja"))
from render import environment  # noqa: E402


def with_times(value):
    if value.keys() == {"unix_seconds", "utc_offset_seconds"}:
        zone = timezone(timedelta(seconds=value["utc_offset_seconds"]))
        return datetime.fromtimestamp(value["unix_seconds"], zone)
    return value


def main():
    variables = json.loads(sys.stdin.readline(), object_hook=with_times)
    template = environment().get_template("memory_prompt.j2")
    print(json.dumps(template.render(variables)), flush=True)
    for line in sys.stdin:
        times = range(int(line))
        begun = time.perf_counter_ns()
        for _ in times:
            template.render(variables)
        print(time.perf_counter_ns() - begun, flush=True)


if __name__ == "__main__":
    main()
