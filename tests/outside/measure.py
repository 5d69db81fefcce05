"""What the project promises of its release binary: size, time to the tool list, idle memory. Fails when a
promise does not hold.

    cargo build --release -p ayeaye && python3 tests/outside/measure.py target/release/ayeaye
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from bad_input import Raw, hello
from harness import end

ROUNDS = 20


def resident_mib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise SystemExit("no VmRSS: this runs on Linux only")


def settled(pid):
    """Resident memory once it no longer changes: half a second of the same figure."""
    seen = [resident_mib(pid)]
    end_of_time = time.monotonic() + 10
    while time.monotonic() < end_of_time and (len(seen) < 6 or len(set(seen[-6:])) > 1):
        time.sleep(0.1)
        seen.append(resident_mib(pid))
    return seen[-1]


def promise(what, value, unit, below, more=""):
    """One line; whether it holds."""
    holds = value < below
    print(f"{'ok   ' if holds else 'FAIL '} {what:28} {value:7.1f} {unit}, promised: below {below} {more}", flush=True)
    return holds


def idle(binary, folder, what, *words, greet=True):
    raw = Raw(binary, folder, *words)
    if greet:
        hello(raw)
        raw.ask("tools/list")
    holds = promise(f"idle, {what}", settled(raw.process.pid), "MiB", 30)
    end(raw.process)
    return holds


def main():
    binary = str(Path(sys.argv[1]).resolve())
    held = [promise("size of the binary", Path(binary).stat().st_size / 1e6, "MB", 30)]
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            begun = time.monotonic()
            raw = Raw(binary, folder)
            hello(raw)
            if raw.ask("tools/list") is None:
                raise SystemExit("no tool list")
            times.append((time.monotonic() - begun) * 1000)
            end(raw.process)
        more = f"(median of {ROUNDS}, most {max(times):.1f})"
        held.append(promise("start to tools/list", statistics.median(times), "ms", 100, more))
        held.append(idle(binary, folder, "just started", greet=False))
        held.append(idle(binary, folder, "after initialize"))
        held.append(idle(binary, folder, "with --virtual", "--virtual"))
    sys.exit(0 if all(held) else 1)


if __name__ == "__main__":
    main()
