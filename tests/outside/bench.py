"""Steps of ours against the same steps as others do them, on one virtual phone behind Debian's adb server.

A step is what lies between two acts, the model left out: act, settle, look, encode, write down. Ours is measured with a
model that takes no time and with one that thinks as long as real ones do, since that time is used. The others are the
adb processes and fixed sleeps of GELab-Zero's and Open-AutoGLM's own code, in its order; what their Python does
besides (decoding, scaling, encoding) is not counted, and neither are the Java machines of the helpers that they put on
a phone. One run for each profile of the virtual phone: how fast its link is, `ayeaye phone --help`.

    target/outside-venv/bin/python tests/outside/bench.py --binary target/release/ayeaye
        [--profiles usb2,usb3,as-is] [--rounds 10] [--others 3] [--think 3] [--animations off] [--speculate off] [--json FILE]

Ends with 1 where a promise is missed. Each round of ours takes 15 to 30 s without a thinking model and 40 to 50 s with one that takes 3 s; one of the others 28 to 37 s.
"""

import argparse
import base64
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import Processes, free_port, get_json, phone_state, wait_until

MESSAGES = "com.example.messages"
# What a round may take of the others'.
PROMISED = {"GELab-Zero": 0.25, "Open-AutoGLM": 0.30}
KEYBOARD = "com.android.adbkeyboard/.AdbIME"


class Other:
    """Another program's steps: an act, a sleep, and what it does until it has the next picture."""

    def __init__(self, bench):
        self.bench, self.adb = bench, bench.theirs

    def step(self, kind, where):
        getattr(self, kind.replace("-", "_"))(*where)
        time.sleep(self.pause)
        self.look()


class GELab(Other):
    name, pause = "GELab-Zero", 2.0

    def look(self):
        """Six processes: which phones there are (twice), whether the screen is on, a capture to a file and from there
        here, the file removed."""
        self.adb("devices")
        self.adb("devices")
        self.adb("shell", "dumpsys display")
        self.adb("shell", "screencap -p /sdcard/screen.png")
        self.adb("pull", "/sdcard/screen.png", self.bench.folder / "screen.png")
        self.adb("shell", "rm /sdcard/screen.png")

    def tap(self, x, y):
        self.adb("shell", "dumpsys input")
        self.adb("shell", f"input tap {x} {y}")

    def long_press(self, x, y):
        self.adb("shell", f"input swipe {x} {y} {x} {y} 1500")

    def swipe(self, *where):
        self.adb("shell", "input swipe {} {} {} {} 1500".format(*where))

    def type(self, text):
        self.adb("shell", f"input text {text}")

    def open(self, _):
        self.adb("shell", f"am force-stop {MESSAGES}")
        time.sleep(1.0)
        self.adb("shell", f"monkey -p {MESSAGES} -c android.intent.category.LAUNCHER 1")

    def back(self):
        self.adb("shell", "input keyevent 4")

    def home(self):
        self.adb("shell", "input keyevent 3")


class AutoGLM(Other):
    name, pause = "Open-AutoGLM", 1.0

    def look(self):
        """Three processes: a capture to a file and from there here, the app in front."""
        self.adb("shell", "screencap -p /sdcard/tmp.png")
        self.adb("pull", "/sdcard/tmp.png", self.bench.folder / "tmp.png")
        self.adb("shell", "dumpsys window")

    def tap(self, x, y):
        self.adb("shell", f"input tap {x} {y}")

    def long_press(self, x, y):
        self.adb("shell", f"input swipe {x} {y} {x} {y} 3000")

    def swipe(self, x1, y1, x2, y2):
        millis = min(max(((x1 - x2) ** 2 + (y1 - y2) ** 2) // 1000, 1000), 2000)
        self.adb("shell", f"input swipe {x1} {y1} {x2} {y2} {millis}")

    def type(self, text):
        """The keyboard changed, the field emptied, the text, the keyboard changed back, a second after each. The last
        one is the pause of every step."""
        self.adb("shell", "settings get secure default_input_method")
        self.adb("shell", f"ime set {KEYBOARD}")
        self.adb("shell", "am broadcast -a ADB_INPUT_B64 --es msg ''")
        time.sleep(1.0)
        self.adb("shell", "am broadcast -a ADB_CLEAR_TEXT")
        time.sleep(1.0)
        self.adb("shell", f"am broadcast -a ADB_INPUT_B64 --es msg {base64.b64encode(text.encode()).decode()}")
        time.sleep(1.0)
        self.adb("shell", f"ime set {self.bench.keyboard}")

    def open(self, _):
        self.adb("shell", f"monkey -p {MESSAGES} -c android.intent.category.LAUNCHER 1")

    def back(self):
        self.adb("shell", "input keyevent 4")

    def home(self):
        self.adb("shell", "input keyevent KEYCODE_HOME")


class Bench:
    def __init__(self, binary, profile, folder, processes, settings):
        self.binary, self.folder, self.settings = binary, folder, settings
        port, control, adb_port = free_port(), free_port(), free_port()
        self.device, self.phone = f"127.0.0.1:{port}", f"http://127.0.0.1:{control}"
        names = ("PATH", "LANG", "TMPDIR")
        self.env = {name: os.environ[name] for name in names if name in os.environ} | {
            "HOME": str(folder),
            "ADB_LOCAL_TRANSPORT_MAX_PORT": "5554",
            "ADB_SERVER_SOCKET": f"tcp:127.0.0.1:{adb_port}",
            "AYEAYE_DATA_DIR": str(folder / "data"),
        }
        command = [binary, "phone", "--port", port, "--control", f"127.0.0.1:{control}", "--profile", profile]
        processes.start(f"phone-{profile}", command, self.env)
        wait_until("the virtual phone", lambda: phone_state(self.phone))
        processes.start(f"adb-{profile}", ["adb", "-P", adb_port, "server", "nodaemon"], self.env)
        wait_until("adb's server", lambda: self.adb("devices") == 0)
        wait_until("the phone on adb", lambda: self.adb("connect", self.device) == 0)
        wait_until("the phone to be ready", lambda: self.adb("shell", "true") == 0)
        got = subprocess.run(
            ["adb", "-s", self.device, "shell", "settings get secure default_input_method"],
            env=self.env, stdout=subprocess.PIPE, text=True, check=True,
        )
        self.keyboard = got.stdout.strip()
        # As their users have been told to.
        self.theirs("shell", f"ime enable {KEYBOARD}")

    def adb(self, *words):
        quiet = subprocess.DEVNULL
        command = ["adb", "-s", self.device, *words]
        return subprocess.run(command, env=self.env, stdin=quiet, stdout=quiet, stderr=quiet).returncode

    def theirs(self, *words):
        """One of the others' commands. One that fails is no quick one."""
        code = self.adb(*words)
        if code:
            raise SystemExit(f"adb {' '.join(map(str, words))} ended with {code}")

    def still(self):
        wait_until("the screen to stand still", lambda: phone_state(self.phone)["settled"])

    def place(self, wanted):
        """The middle of the first control that fits, in pixels."""
        self.still()
        for node in phone_state(self.phone)["nodes"]:
            if node["clickable"] and wanted(node):
                left, top, right, bottom = node["bounds"]
                return (left + right) // 2, (top + bottom) // 2
        raise SystemExit(f"not on the screen: {wanted.__doc__}")

    def find_round(self):
        """One round of acts: their kinds, and where in pixels. Walks through it once to find the places."""
        def named(*names):
            def wanted(node):
                return any(name in (node["text"], node["desc"]) for name in names)
            wanted.__doc__ = names[0]
            return wanted

        def field(node):
            """a text field"""
            return "EditText" in node["class"]

        def conversation(node):
            """a conversation"""
            return node["bounds"][2] - node["bounds"][0] > width * 0.8

        self.adb("shell", "input keyevent 3")
        width, height = phone_state(self.phone)["size"]
        settings = self.place(named("Settings"))
        self.adb("shell", f"monkey -p {MESSAGES} 1")
        talk = self.place(conversation)
        self.adb("shell", "input tap {} {}".format(*talk))
        text = self.place(field)
        self.adb("shell", "input keyevent 4")
        self.still()
        self.adb("shell", "input keyevent 3")
        self.still()
        middle = (width // 2, height // 2)
        return [
            ("tap", settings),
            ("swipe", (width // 2, height * 7 // 10, width // 2, height * 3 // 10)),
            ("back", ()),
            ("open", (MESSAGES,)),
            ("tap", talk),
            ("tap", text),
            ("type", ("hello",)),
            ("back", ()),
            ("back", ()),
            ("home", ()),
            ("long-press", middle),
        ]

    def ours(self, acts, rounds, think):
        """Figures of so many rounds. What the phone was asked is that of the rounds after the first: the first one
        has the beginning and the end of a run with it."""
        once = self.run_ours(acts, 1, think)
        figures = self.run_ours(acts, rounds + 1, think)
        steps = figures["steps"] - once["steps"]
        for name, of in [("round_trips", "requests"), ("bytes", "bytes_sent"), ("captures_taken", "captures")]:
            figures["per_step"][name] = round((figures["wire"][of] - once["wire"][of]) / steps, 1)
        return figures

    def run_ours(self, acts, rounds, think):
        width, height = phone_state(self.phone)["size"]
        words = []
        for kind, where in acts:
            if where and isinstance(where[0], int):
                scale = (width, height) * 2
                where = [round(at * 1000 / of) for at, of in zip(where, scale)]
            words += ["--act", " ".join([kind, *map(str, where)])]
        before = get_json(f"{self.phone}/state")["wire"]
        command = [self.binary, "bench", "--device", self.device, "--rounds", rounds, "--think", think, "--json", *words]
        env = self.env | {f"AYEAYE_RUN_{name.upper()}": value for name, value in self.settings.items()}
        done = subprocess.run([str(word) for word in command], env=env, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise SystemExit(f"ayeaye bench ended with {done.returncode}")
        figures, after = json.loads(done.stdout), get_json(f"{self.phone}/state")["wire"]
        figures["wire"] = {name: after[name] - before[name] for name in after}
        return figures

    def others(self, other, acts, rounds):
        """Seconds of each step, by the kind of its act, and of each round; and what the phone was asked in a step."""
        by_kind, whole = {}, []
        before = get_json(f"{self.phone}/state")["wire"]
        self.adb("shell", "input keyevent 3")
        self.still()
        for _ in range(rounds):
            begun = time.monotonic()
            for kind, where in acts:
                since = time.monotonic()
                other.step(kind, where)
                by_kind.setdefault(kind, []).append(time.monotonic() - since)
            whole.append(time.monotonic() - begun)
        after, steps = get_json(f"{self.phone}/state")["wire"], rounds * len(acts)
        return by_kind, whole, {name: round((after[name] - before[name]) / steps, 1) for name in after}


def spread(values):
    """As `ayeaye bench` has it."""
    values = sorted(values)
    return {f"p{tenth}0": round(values[len(values) * tenth // 10], 3) for tenth in (1, 5, 9)}


def measure(bench, options):
    acts = bench.find_round()
    models = {"that takes no time": 0}
    if options.think:
        models[f"that thinks for {options.think:g} s, which are not counted"] = options.think
    ours = {model: bench.ours(acts, options.rounds, think) for model, think in models.items()}
    others, wires = {}, {}
    for other in (GELab(bench), AutoGLM(bench)):
        by_kind, whole, wire = bench.others(other, acts, options.others)
        steps = [seconds for kind in by_kind.values() for seconds in kind]
        rows = [*by_kind.items(), ("a step", steps), ("the round", whole)]
        others[other.name] = {name: spread(values) for name, values in rows}
        wires[other.name] = wire
    return {"others": others, "others_per_step": wires, "ours": {model: compared(figures, others) for model, figures in ours.items()}}


def compared(figures, others):
    """Our figures, and what part of the others' they are."""
    rows = {act["act"]: {"ours": act["seconds"]} for act in figures["by_act"]}
    rows["a step"], rows["the round"] = {"ours": figures["seconds"]}, {"ours": figures["round_seconds"]}
    for other, theirs in others.items():
        for name, row in rows.items():
            # From our quick ones against their slow ones to the other way round.
            pairs = [("p10", "p90"), ("p50", "p50"), ("p90", "p10")]
            row[other] = theirs[name]
            row[f"of {other}"] = {mine: round(row["ours"][mine] / theirs[name][its], 3) for mine, its in pairs}
    return {"rows": rows, "figures": figures}


def table(found):
    names = list(PROMISED)
    heading = ["seconds", "ours", *names, *(f"of {name}" for name in names)]
    yield "| " + " | ".join(heading) + " |"
    yield "|---" * len(heading) + "|"
    for name, row in found["rows"].items():
        cells = ["{p50:.2f} ({p10:.2f} to {p90:.2f})".format(**row[column]) for column in heading[1:]]
        yield f"| {name} | " + " | ".join(cells) + " |"
    yield ""
    figures = found["figures"]
    yield "a step of ours: " + ", ".join(f"{part} {value['p50']:.1f} ms" for part, value in figures["parts_ms"].items())
    yield "means of it: " + ", ".join(f"{name} {value}" for name, value in figures["per_step"].items())
    counted = {name: value for name, value in figures.items() if isinstance(value, (int, float))}
    yield "counted: " + ", ".join(f"{name} {value}" for name, value in counted.items())
    guesses = figures["guesses"]
    yield f"sent before the screen had settled: {guesses['sent']} frames, {guesses['right']} of them right"
    for name, most in PROMISED.items():
        part = found["rows"]["the round"][f"of {name}"]["p50"]
        yield f"the round takes {part} of {name}'s; promised are at most {most}" + ("" if part <= most else ": MISSED")
        yield f"slower than {name}, promised is nothing: {', '.join(slower(found, name)) or 'nothing'}"


def slower(found, other):
    """The acts, and the means of all, that take longer than the other's."""
    return [kind for kind, row in found["rows"].items() if 1 < row[f"of {other}"]["p50"]]


def missed(found):
    """Whether a promise does not hold."""
    rows = found["rows"]["the round"]
    return any(most < rows[f"of {name}"]["p50"] or slower(found, name) for name, most in PROMISED.items())


def at_least_one(text):
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--profiles", default="usb2,usb3,as-is")
    parser.add_argument("--rounds", type=at_least_one, default=10, help="of ours")
    parser.add_argument("--others", type=at_least_one, default=3, help="rounds of the others, which sleep")
    parser.add_argument("--think", type=float, default=3.0, help="seconds that the second model takes; 0 for none")
    parser.add_argument("--animations", choices=["keep", "off"], default="keep", help="run.animations of ours")
    parser.add_argument("--speculate", choices=["auto", "off"], default="auto",
                        help="run.speculate of ours; off is what an endpoint with a price comes to")
    parser.add_argument("--json", type=Path, help="write all figures here")
    options = parser.parse_args()
    binary, found = str(Path(options.binary).resolve()), {}
    settings = {"animations": options.animations, "speculate": options.speculate}
    told = ", ".join(f"{name} {value}" for name, value in settings.items())
    for profile in options.profiles.split(","):
        with tempfile.TemporaryDirectory(prefix="ayeaye-bench-") as name, Processes(name) as processes:
            bench = Bench(binary, profile, Path(name), processes, settings)
            found[profile] = measure(bench, options)
        for model, ours in found[profile]["ours"].items():
            print(f"\n{profile}, {told}, a model {model}: medians, and from the fastest tenth to the slowest\n")
            print("\n".join(table(ours)), flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    sys.exit(any(missed(ours) for of in found.values() for ours in of["ours"].values()))


if __name__ == "__main__":
    main()
