"""Figures that the project promises: size of the release binary, time to the tool list, idle memory.

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


def idle(binary, folder, what, *words, greet=True):
    raw = Raw(binary, folder, *words)
    if greet:
        hello(raw)
        raw.ask("tools/list")
    print(f"idle, {what:20} {settled(raw.process.pid):7.1f} MiB  (promised: below 30)")
    end(raw.process)


def main():
    binary = str(Path(sys.argv[1]).resolve())
    print(f"size of the binary         {Path(binary).stat().st_size / 1e6:7.1f} MB   (promised: below 20)")
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
        most = f"median of {ROUNDS}, most {max(times):.1f}"
        print(f"start to tools/list        {statistics.median(times):7.1f} ms   {most} (promised: below 100)")
        idle(binary, folder, "just started", greet=False)
        idle(binary, folder, "after initialize")
        idle(binary, folder, "with --virtual", "--virtual")


if __name__ == "__main__":
    main()
