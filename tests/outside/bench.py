"""One step of ours against the same step as others do it, on one virtual phone behind Debian's adb server.

A step is what lies between two taps, the model left out: act, settle, look, encode, write down. The others
are adb processes and a fixed sleep, in the order that GELab-Zero and Open-AutoGLM use for a tap; what their
Python does besides (decoding, encoding) is not counted. Twice: on the phone as it is, which answers at once,
and with the delays of a real one on USB 2 put in.

    target/outside-venv/bin/python tests/outside/bench.py --binary target/release/ayeaye [--steps 30]
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from harness import Processes, free_port, phone_state, post_json, wait_until

# Milliseconds. A raw capture of 10 MB takes 75 to make and 288 to send over USB 2, a PNG 652 and 55; a shell
# command takes 28.
SETTINGS = {
    "as it is": {"raw": 0, "png": 0, "shell": 0},
    "like USB 2": {"raw": 75 + 288, "png": 652 + 55, "shell": 28},
}

ROOT = Path(__file__).resolve().parent.parent.parent


def build_benchmark():
    """The executable of crates/ayeaye/benches/step, built with the settings of a release."""
    command = ["cargo", "bench", "--locked", "--quiet", "-p", "ayeaye", "--bench", "step", "--no-run", "--message-format=json"]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    return next(it["executable"] for it in messages if it.get("executable") and it["target"]["name"] == "step")


class Bench:
    def __init__(self, binary, folder, processes):
        self.folder, self.benchmark = folder, build_benchmark()
        port, control, adb_port = free_port(), free_port(), free_port()
        self.device, self.phone = f"127.0.0.1:{port}", f"http://127.0.0.1:{control}"
        names = ("PATH", "LANG", "TMPDIR")
        self.env = {name: os.environ[name] for name in names if name in os.environ} | {
            "HOME": str(folder),
            "ADB_LOCAL_TRANSPORT_MAX_PORT": "5554",
            "ADB_SERVER_SOCKET": f"tcp:127.0.0.1:{adb_port}",
            "AYEAYE_DATA_DIR": str(folder / "data"),
        }
        command = [binary, "phone", "--port", port, "--control", f"127.0.0.1:{control}"]
        processes.start("phone", command, self.env)
        wait_until("the virtual phone", lambda: phone_state(self.phone))
        processes.start("adb", ["adb", "-P", adb_port, "server", "nodaemon"], self.env)
        wait_until("adb's server", lambda: self.adb("devices") == 0)
        wait_until("the phone on adb", lambda: self.adb("connect", self.device) == 0)
        wait_until("the phone to be ready", lambda: self.adb("shell", "true") == 0)

    def adb(self, *words):
        quiet = subprocess.DEVNULL
        command = ["adb", "-s", self.device, *words]
        return subprocess.run(command, env=self.env, stdin=quiet, stdout=quiet, stderr=quiet).returncode

    def fault(self, capture, shell):
        post_json(f"{self.phone}/fault", {"capture_delay_ms": capture, "shell_delay_ms": shell})

    def still(self):
        wait_until("the screen to stand still", lambda: phone_state(self.phone)["settled"])

    def home(self):
        """At home and at rest, outside of what is measured."""
        self.adb("shell", "input keyevent 3")
        self.still()

    def icon(self):
        """Where the icon of Settings is, in pixels and in thousandths."""
        self.home()
        state = phone_state(self.phone)
        width, height = state["size"]
        for node in state["nodes"]:
            if node["clickable"] and "Settings" in (node["text"], node["desc"]):
                left, top, right, bottom = node["bounds"]
                x, y = (left + right) // 2, (top + bottom) // 2
                return (x, y), (x * 1000 // width, y * 1000 // height)
        raise SystemExit("the launcher shows no Settings icon")

    def gelab(self, tap):
        """Eight processes: which phones there are (twice), the display, a capture to a file and from there
        here, the file removed, the orientation, the tap; then two seconds."""
        self.adb("devices")
        self.adb("devices")
        self.adb("shell", "dumpsys display")
        self.adb("shell", "screencap -p /sdcard/screen.png")
        self.adb("pull", "/sdcard/screen.png", self.folder / "screen.png")
        self.adb("shell", "rm /sdcard/screen.png")
        self.adb("shell", "dumpsys input")
        self.adb("shell", tap)
        time.sleep(2.0)

    def autoglm(self, tap):
        """Four processes: a capture to a file and from there here, the app in front, the tap; then a second."""
        self.adb("shell", "screencap -p /sdcard/tmp.png")
        self.adb("pull", "/sdcard/tmp.png", self.folder / "tmp.png")
        self.adb("shell", "dumpsys window")
        self.adb("shell", tap)
        time.sleep(1.0)

    def others(self, sequence, pixel, steps):
        tap = f"input tap {pixel[0]} {pixel[1]}"
        times = []
        for _ in range(steps):
            self.home()
            begun = time.monotonic()
            sequence(tap)
            times.append((time.monotonic() - begun) * 1e3)
        return round(statistics.median(times), 1)

    def motion(self, pixel, steps):
        """How long the screen moves after such a tap. The phone draws each time at random, so this is not to be
        subtracted from a step: those are other taps."""
        times = []
        for _ in range(steps):
            self.home()
            self.adb("shell", f"input tap {pixel[0]} {pixel[1]}")
            begun = time.monotonic()
            while not phone_state(self.phone)["settled"]:
                pass
            times.append((time.monotonic() - begun) * 1e3)
        return round(statistics.median(times), 1)

    def ours(self, thousandths, steps):
        self.home()
        words = ["--steps", str(steps), "--device", self.device, "--at", "{},{}".format(*thousandths)]
        done = subprocess.run([self.benchmark, *words], env=self.env, stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(done.stdout.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--steps", type=int, default=30, help="of ours; a third of them of the others, which sleep")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ayeaye-bench-") as name, Processes(name) as processes:
        bench = Bench(str(Path(options.binary).resolve()), Path(name), processes)
        pixel, thousandths = bench.icon()
        motion = bench.motion(pixel, options.steps)
        print(f"the screen moves {motion} ms after the tap (median of {options.steps})")
        for setting, delay in SETTINGS.items():
            print(f"\nthe phone {setting}: {delay}")
            bench.fault(delay["raw"], delay["shell"])
            ours = bench.ours(thousandths, options.steps)
            for part, value in ours.items():
                print(f"  {part:20} {value if part == 'steps' else '{p50:9.2f}   nine in ten {p90:9.2f}'.format(**value)}")
            whole = ours["whole_step_ms"]["p50"]
            bench.fault(delay["png"], delay["shell"])
            for name, sequence in [("GELab-Zero", bench.gelab), ("Open-AutoGLM", bench.autoglm)]:
                value = bench.others(sequence, pixel, max(3, options.steps // 3))
                print(f"  {name:20} {value:9.1f}   ours is {whole / value:.2f} of it", flush=True)
            bench.fault(0, 0)


if __name__ == "__main__":
    main()
