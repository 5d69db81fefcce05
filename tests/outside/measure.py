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


def main():
    binary = str(Path(sys.argv[1]).resolve())
    print(f"size of the binary        {Path(binary).stat().st_size / 1e6:8.1f} MB   (promised: below 20)")
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
        print(f"start to tools/list       {statistics.median(times):8.1f} ms   median of {ROUNDS}, most {max(times):.1f} (promised: below 100)")
        raw = Raw(binary, folder)
        hello(raw)
        raw.ask("tools/list")
        time.sleep(3)
        print(f"resident when idle        {resident_mib(raw.process.pid):8.1f} MiB  (promised: below 30)")
        end(raw.process)


if __name__ == "__main__":
    main()
