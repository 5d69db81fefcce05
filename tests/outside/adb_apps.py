"""Packages, keyboards and the phones of makers: Debian's `adb` tool, PyPI's `adbutils`, and our own `setup`.

All go through the adb server that ADB_SERVER_SOCKET names. Phones other than the one that is attached
already are started and ended here.
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

import adbutils
from apk import apk
from harness import Checks, Processes, free_port, phone_state, wait_until

KEYBOARD = "com.android.adbkeyboard"
IME = f"{KEYBOARD}/.AdbIME"
OWN = "com.android.inputmethod.latin/.LatinIME"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--device", required=True)
    arguments.add_argument("--binary", required=True)
    given = arguments.parse_args()
    checks = Checks("packages: ")
    with tempfile.TemporaryDirectory() as folder, Processes(folder) as processes:
        bench = Bench(given.binary, Path(folder), processes)
        packages(checks, given.device, bench)
        checks.prefix = "adbutils: "
        the_library(checks, given.device, bench)
        checks.prefix = "network: "
        the_network(checks, bench)
        checks.prefix = "keyboard: "
        keyboards(checks, bench)
        checks.prefix = "makers: "
        makers(checks, bench)
    checks.exit()


class Bench:
    def __init__(self, binary, folder, processes):
        self.binary, self.folder, self.processes = binary, folder, processes

    def file(self, package):
        path = self.folder / f"{package}.apk"
        path.write_bytes(apk(package))
        return path

    def phone(self, *words):
        """Starts a phone with these switches: its serial, and its control endpoint."""
        port, control = free_port(), free_port()
        command = [self.binary, "phone", "--port", port, "--control", f"127.0.0.1:{control}", *words]
        self.processes.start(f"phone-{port}", command)
        wait_until("a phone", lambda: phone_state(f"http://127.0.0.1:{control}"))
        return f"127.0.0.1:{port}", f"http://127.0.0.1:{control}"

    def attached(self, *words):
        serial, control = self.phone(*words)
        run("connect", serial)
        wait_until(f"{serial} on adb", lambda: f"{serial}\tdevice" in run("devices")[1])
        return serial, control

    def ours(self, *words):
        done = subprocess.run(
            [self.binary, *map(str, words)], capture_output=True, text=True, timeout=90, stdin=subprocess.DEVNULL
        )
        return done.returncode, done.stdout + done.stderr


def run(*words, limit=40):
    done = subprocess.run(["adb", *map(str, words)], capture_output=True, text=True, timeout=limit)
    return done.returncode, done.stdout + done.stderr


def adb(device, *words):
    return run("-s", device, *words)


def lines(device, *words):
    """The lines that a command of the phone's shell prints."""
    return adb(device, "shell", *words)[1].split("\n")[:-1]


def packages(checks, device, bench):
    name = "com.example.outside"
    file = bench.file(name)
    code, said = adb(device, "install", file)
    checks.check("install", code == 0 and "Success" in said, said)
    checks.check("list packages -3 has it", f"package:{name}" in lines(device, "pm", "list", "packages", "-3"))
    path = lines(device, "pm", "path", name)[0].removeprefix("package:")
    back = bench.folder / "back.apk"
    code, said = adb(device, "pull", path, back)
    checks.check("what was installed can be pulled", code == 0 and back.read_bytes() == file.read_bytes(), said)
    code, said = adb(device, "install", "-r", "-t", file)
    checks.check("install -r once more", code == 0 and "Success" in said, said)
    code, said = adb(device, "install", "--no-streaming", file)
    checks.check("install without streaming", code == 0 and "Success" in said, said)
    code, said = adb(device, "uninstall", name)
    checks.check("uninstall", code == 0 and "Success" in said, said)
    checks.check("and it is gone", f"package:{name}" not in lines(device, "pm", "list", "packages"))
    code, said = adb(device, "uninstall", name)
    checks.check("uninstall of nothing fails", code != 0 and "DELETE_FAILED" in said, said)


def the_library(checks, device, bench):
    host, port = os.environ["ADB_SERVER_SOCKET"].removeprefix("tcp:").split(":")
    phone = adbutils.AdbClient(host=host, port=int(port)).device(device)
    name = "com.example.library"
    phone.install(str(bench.file(name)), nolaunch=True, uninstall=True, silent=True)
    checks.check("install", name in phone.list_packages())
    info = phone.package_info(name)
    checks.check("package_info", info and info["version_name"] == "1.0", info)
    phone.uninstall(name)
    checks.check("uninstall", name not in phone.list_packages())


def the_network(checks, bench):
    serial, _ = bench.phone()
    code, said = run("connect", serial)
    checks.check("adb connect", code == 0 and f"connected to {serial}" in said, said)
    wait_until("the phone", lambda: f"{serial}\tdevice" in run("devices")[1])
    code, said = run("connect", serial)
    checks.check("adb connect once more", f"already connected to {serial}" in said, said)
    code, said = bench.ours("disconnect", serial)
    checks.check("our disconnect of adb's", code == 0 and serial not in run("devices")[1], said)
    code, said = bench.ours("connect", serial)
    checks.check("our connect", code == 0 and f"{serial}\tdevice" in run("devices")[1], said)
    code, said = run("disconnect", serial)
    checks.check("adb disconnect of ours", code == 0 and f"disconnected {serial}" in said, said)


def keyboards(checks, bench):
    serial, control = bench.attached("--fault", "no-keyboard")
    before = lines(serial, "ime list -s -a")
    checks.equal("there is only the phone's own", before, [OWN])
    code, said = adb(serial, "install", bench.file(KEYBOARD))
    checks.check("adb installs it", code == 0 and "Success" in said, said)
    checks.check("it is listed, and not enabled", IME in lines(serial, "ime list -s -a") and IME not in lines(serial, "ime list -s"))
    checks.check("ime enable", "enabled" in adb(serial, "shell", "ime", "enable", IME)[1])
    checks.check("ime set", "selected" in adb(serial, "shell", "ime", "set", IME)[1])
    checks.equal("the setting says so", lines(serial, "settings get secure default_input_method"), [IME])
    checks.check("uninstall", adb(serial, "uninstall", KEYBOARD)[0] == 0)
    checks.equal("and the phone's own is back", lines(serial, "settings get secure default_input_method"), [OWN])

    # The same by our own command: asked, installed, proved, taken off.
    file = bench.file(KEYBOARD)
    code, said = bench.ours("setup", serial, "--keyboard", file)
    checks.check("without a yes nothing changes", "nothing was changed" in said and lines(serial, "ime list -s -a") == [OWN], said)
    code, said = bench.ours("setup", serial, "--keyboard", file, "--yes")
    checks.check("setup --keyboard FILE", code == 0 and "arrived exactly" in said, said)
    checks.equal("the phone's own stays in use", lines(serial, "settings get secure default_input_method"), [OWN])
    sample = "你好 Привет مرحبا नमस्ते Γειά e\u0301 👩\u200d👩\u200d👧"
    typed = json.dumps(phone_state(control), ensure_ascii=False)
    checks.check("every code point arrived", sample in typed, typed[-1500:])
    code, said = bench.ours("setup", serial, "--keyboard", "remove", "--yes")
    checks.check("setup --keyboard remove", code == 0 and lines(serial, "ime list -s -a") == before, said)
    run("disconnect", serial)


def makers(checks, bench):
    """Each is refused what its phones refuse, by adb itself and in our words with the switch."""
    for like, words, refused, switch in (
        ("coloros", "ime list -s", "SecurityException", "Disable permission monitoring"),
        ("miui", "input tap 5 5", "INJECT_EVENTS", "USB debugging (Security settings)"),
    ):
        serial, _ = bench.attached("--like", like)
        code, said = adb(serial, "shell", words)
        checks.check(f"{like} refuses '{words}'", code != 0 and refused in said, said)
        code, told = bench.ours("doctor", "--json")
        found = [f"{it['text']} {it['hint']}" for it in json.loads(told[: told.rindex("}") + 1])["findings"] if it.get("device") == serial]
        checks.check(f"doctor names the switch of {like}", any(switch in it for it in found), found)
        run("disconnect", serial)
    serial, _ = bench.attached("--like", "miui")
    code, said = adb(serial, "install", bench.file(KEYBOARD))
    checks.check("miui refuses adb install", code != 0 and "INSTALL_FAILED_USER_RESTRICTED" in said, said)
    code, said = bench.ours("setup", serial, "--keyboard", bench.file(KEYBOARD), "--yes")
    checks.check("setup names the switch", code == 1 and "Install via USB" in said, said)
    run("disconnect", serial)


if __name__ == "__main__":
    main()
