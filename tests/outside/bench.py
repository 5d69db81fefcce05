#!/usr/bin/env python3
"""One step of ours against the same step as the peers do it, on one virtual phone behind one real adb server.

The peers' sequences are those of their CLICK: GELab-Zero starts eight adb processes and sleeps two seconds,
Open-AutoGLM starts five and sleeps one. A model of no latency in all of them. What counts is the ratio.

    target/outside-venv/bin/python tests/outside/bench.py --binary target/release/ayeaye [--steps 20]
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def wait_for(what, seconds, ready):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if ready():
                return
        except OSError:
            pass
        time.sleep(0.05)
    sys.exit(f"waited {seconds} s for {what}")


class Bench:
    def __init__(self, binary, port, control, adb_port):
        self.binary, self.serial = binary, f"127.0.0.1:{port}"
        self.control = f"http://127.0.0.1:{control}"
        self.env = dict(os.environ, ANDROID_ADB_SERVER_PORT=str(adb_port))
        self.env.pop("ADB_SERVER_SOCKET", None)

    def adb(self, *words, out=subprocess.DEVNULL):
        return subprocess.run(["adb", "-s", self.serial, *words], env=self.env, stdout=out, stderr=subprocess.DEVNULL)

    def state(self):
        return json.load(urllib.request.urlopen(self.control + "/state"))

    def icon(self):
        """Where an app's icon is, in pixels and in thousandths."""
        self.adb("shell", "input keyevent 3")
        for _ in range(100):
            for node in self.state()["nodes"]:
                if node.get("clickable") and "Settings" in (node.get("text"), node.get("desc")):
                    left, top, right, bottom = node["bounds"]
                    x, y = (left + right) // 2, (top + bottom) // 2
                    return (x, y), (x * 1000 // 1080, y * 1000 // 2400)
            time.sleep(0.05)
        sys.exit("the launcher shows no Settings icon")

    def gelab(self, pixel, folder):
        """GELab-Zero's CLICK: check the phone twice, its screen, capture, pull, remove, orientation, tap, sleep."""
        self.adb("devices")
        self.adb("devices")
        self.adb("shell", "dumpsys display")
        self.adb("shell", "screencap -p /sdcard/screen.png")
        self.adb("pull", "/sdcard/screen.png", str(folder / "screen.png"))
        self.adb("shell", "rm /sdcard/screen.png")
        self.adb("shell", "dumpsys input")
        self.adb("shell", f"input tap {pixel[0]} {pixel[1]}")
        time.sleep(2.0)

    def autoglm(self, pixel, folder):
        """Open-AutoGLM's Tap: capture to a file, pull, the app in front, tap, sleep."""
        self.adb("shell", "screencap -p /sdcard/tmp.png")
        self.adb("pull", "/sdcard/tmp.png", str(folder / "tmp.png"))
        self.adb("shell", "rm /sdcard/tmp.png")
        self.adb("shell", "dumpsys window")
        self.adb("shell", f"input tap {pixel[0]} {pixel[1]}")
        time.sleep(1.0)

    def measure(self, sequence, pixel, steps, folder):
        times = []
        for _ in range(steps):
            begun = time.monotonic()
            sequence(pixel, folder)
            times.append((time.monotonic() - begun) * 1e3)
            self.adb("shell", "input keyevent 3")
            time.sleep(1.2)  # home again, outside the measured step
        return statistics.median(times)

    def ours(self, thousandths, steps, folder):
        env = dict(self.env, AYEAYE_DATA_DIR=str(folder / "data"))
        words = [self.binary, "bench", "--steps", str(steps), "--device", self.serial]
        words += ["--at", f"{thousandths[0]},{thousandths[1]}"]
        done = subprocess.run(words, env=env, stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(done.stdout.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    binary = str(Path(options.binary).resolve())
    port, control, adb_port = free_port(), free_port(), free_port()
    phone = subprocess.Popen(
        [binary, "phone", "--port", str(port), "--control", f"127.0.0.1:{control}"], stdout=subprocess.DEVNULL
    )
    bench = Bench(binary, port, control, adb_port)
    try:
        wait_for("the virtual phone", 10, lambda: bench.state())
        subprocess.run(["adb", "connect", bench.serial], env=bench.env, stdout=subprocess.DEVNULL, check=True)
        wait_for("adb", 10, lambda: bench.adb("shell", "true").returncode == 0)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            pixel, thousandths = bench.icon()
            ours = bench.ours(thousandths, options.steps, folder)
            peers = {
                "gelab_click_ms": bench.measure(bench.gelab, pixel, options.steps, folder),
                "autoglm_tap_ms": bench.measure(bench.autoglm, pixel, options.steps, folder),
            }
        whole = ours["whole_step_ms"]
        print(json.dumps({"ours": ours, "peers": peers}, indent=2))
        for name, value in peers.items():
            print(f"ours / {name}: {whole / value:.2f}")
    finally:
        subprocess.run(["adb", "kill-server"], env=bench.env, stderr=subprocess.DEVNULL)
        phone.terminate()
        phone.wait()


if __name__ == "__main__":
    main()
