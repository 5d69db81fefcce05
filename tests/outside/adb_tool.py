"""Debian's `adb` tool and PyPI's `adbutils` against the virtual phone.

Both go through the adb server that ADB_SERVER_SOCKET names; the phone is attached to it already.
"""

import argparse
import hashlib
import os
import re
import subprocess
import tempfile
import threading
import time
from io import BytesIO
from pathlib import Path

import adbutils
from harness import Checks, phone_state, wait_until
from PIL import Image


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--device", required=True)
    arguments.add_argument("--phone", required=True)
    arguments.add_argument("--binary", required=True)
    given = arguments.parse_args()
    checks = Checks("adb: ")
    with tempfile.TemporaryDirectory() as folder:
        the_tool(checks, given.device, Path(folder))
        checks.prefix = "adbutils: "
        the_library(checks, given, Path(folder))
    checks.prefix = "connect: "
    the_network(checks, given)
    checks.exit()


def adb(device, *words, stdin=b"", limit=30):
    done = subprocess.run(["adb", "-s", device, *map(str, words)], input=stdin, capture_output=True, timeout=limit)
    return done.returncode, done.stdout, done.stderr


def the_tool(checks, device, folder):
    code, out, _ = adb(device, "devices", "-l")
    line = next((line for line in out.decode().splitlines() if line.startswith(device)), "")
    checks.check("devices -l", code == 0 and re.search(r"\bdevice product:\S+ model:\S+ device:\S+", line), out)

    for words, want in [(["exit 7"], 7), (["true"], 0), (["false"], 1), (["nosuchprogram"], 127)]:
        checks.equal(f"shell '{words[0]}' exits with {want}", adb(device, "shell", *words)[0], want)
    code, out, err = adb(device, "shell", "echo out; echo err >&2; exit 3")
    checks.equal("shell keeps both outputs apart", (code, out, err), (3, b"out\n", b"err\n"))
    quoted = "it's $HOME \\ \"x\" `y` 东京"
    code, out, _ = adb(device, "shell", "echo '" + quoted.replace("'", "'\\''") + "'")
    checks.equal("shell quoting", (code, out.decode()), (0, quoted + "\n"))
    code, out, _ = adb(device, "shell", "getprop", "ro.build.version.release")
    checks.check("getprop", code == 0 and out.strip().isdigit(), out)
    code, out, _ = adb(device, "shell", "wm", "size")
    checks.equal("wm size", out, b"Physical size: 1080x2400\n")
    code, out, _ = adb(device, "shell", stdin=b"echo from stdin\nexit 5\n")
    checks.check("an interactive shell", code == 5 and b"from stdin" in out, (code, out))

    code, png, _ = adb(device, "exec-out", "screencap", "-p")
    checks.check("screencap -p is a whole PNG", code == 0 and picture_size(png) == (1080, 2400), png[:80])
    code, raw, _ = adb(device, "exec-out", "screencap")
    head = [int.from_bytes(raw[at : at + 4], "little") for at in (0, 4, 8)]
    checks.equal("screencap, raw", (code, head, len(raw)), (0, [1080, 2400, 1], 16 + 1080 * 2400 * 4))

    files(checks, device, folder)

    apk = folder / "app.apk"
    apk.write_bytes(b"PK\x03\x04 not really")
    code, out, err = adb(device, "install", apk)
    said = (out + err).decode()
    checks.check("install is refused with a reason", code != 0 and "fail" in said.lower(), (code, said))
    code, out, err = adb(device, "root")
    checks.check("root is refused in words", b"production builds" in out + err, (code, out, err))

    begun = time.monotonic()
    results = at_once(2, lambda: adb(device, "shell", "sleep 1; echo done"))
    took = time.monotonic() - begun
    checks.check("two shells at once", results == [(0, b"done\n", b"")] * 2 and took < 1.9, (results, took))
    results = at_once(2, lambda: picture_size(adb(device, "exec-out", "screencap", "-p")[1]))
    checks.equal("two captures at once", results, [(1080, 2400)] * 2)
    code, _, err = adb("nobody:1", "shell", "true")
    checks.check("another serial is not found", code != 0 and b"not found" in err, err)


def files(checks, device, folder):
    big = folder / "big.bin"
    big.write_bytes(os.urandom(10 * 1024 * 1024))
    code, _, err = adb(device, "push", big, "/sdcard/Download/big.bin")
    checks.check("push 10 MB", code == 0, err)
    back = folder / "back.bin"
    code, _, err = adb(device, "pull", "/sdcard/Download/big.bin", back)
    checks.check("pull gives the same 10 MB", code == 0 and digest(back) == digest(big), err)
    tree = folder / "tree"
    (tree / "inner").mkdir(parents=True)
    (tree / "a.txt").write_text("a")
    (tree / "inner" / "东京.txt").write_text("b")
    code, _, err = adb(device, "push", tree, "/sdcard/Download/")
    checks.check("push a folder", code == 0, err)
    copy = folder / "copy"
    copy.mkdir()
    code, _, err = adb(device, "pull", "/sdcard/Download/tree", copy)
    same = (copy / "tree" / "inner" / "东京.txt").exists() and (copy / "tree" / "a.txt").read_text() == "a"
    checks.check("pull a folder", code == 0 and same, err)
    code, _, _ = adb(device, "push", tree / "a.txt", "/system/a.txt")
    checks.check("push to a place that is read-only fails", code != 0, code)
    code, _, _ = adb(device, "pull", "/sdcard/nothing", folder / "nothing")
    checks.check("pull of nothing fails", code != 0, code)


def the_library(checks, given, folder):
    host, port = os.environ["ADB_SERVER_SOCKET"].removeprefix("tcp:").split(":")
    client = adbutils.AdbClient(host=host, port=int(port))
    checks.check("lists the phone", given.device in [device.serial for device in client.device_list()])
    phone = client.device(given.device)
    checks.equal("state", phone.get_state(), "device")
    checks.equal("shell", phone.shell("echo hello"), "hello")
    for v2 in (False, True):
        done = phone.shell2("echo x; (exit 9)", v2=v2)
        name = f"shell2 knows the exit code, v2 {v2}"
        checks.equal(name, (done.returncode, done.output.strip()), (9, "x"))
    checks.equal("window_size", tuple(phone.window_size()), (1080, 2400))
    checks.equal("screenshot", phone.screenshot().size, (1080, 2400))
    phone.keyevent("HOME")
    wait_until("app_current after HOME to be the launcher", lambda: "launcher" in phone.app_current().package)
    phone.app_start("com.android.settings")
    wait_until("app_start", lambda: phone.app_current().package == "com.android.settings")
    checks.equal("and the phone agrees", phone_state(given.phone)["foreground"]["package"], "com.android.settings")
    xml = phone.dump_hierarchy()
    checks.check("dump_hierarchy", xml.startswith("<?xml") and xml.rstrip().endswith("</hierarchy>"), xml[:200])
    phone.swipe(540, 1800, 540, 900, 0.3)
    taps = phone_state(given.phone)["counts"]["taps"]
    phone.click(540, 1200)
    checks.equal("click taps once", phone_state(given.phone)["counts"]["taps"], taps + 1)
    phone.send_keys("plain words")
    phone.app_stop("com.android.settings")
    source, target = folder / "small.bin", folder / "small.back"
    source.write_bytes(os.urandom(300_000))
    phone.sync.push(str(source), "/data/local/tmp/small.bin")
    phone.sync.pull("/data/local/tmp/small.bin", str(target))
    checks.equal("push and pull", digest(target), digest(source))
    checks.equal("stat", phone.sync.stat("/data/local/tmp/small.bin").size, 300_000)
    checks.check("list", "small.bin" in [entry.path for entry in phone.sync.list("/data/local/tmp")])
    checks.check("getprop", phone.prop.model, phone.prop.model)
    checks.check("the screen is on", phone.is_screen_on())
    checks.check("packages", "com.example.messages" in phone.list_packages(), phone.list_packages())
    phone.keyevent("HOME")


def the_network(checks, given):
    """Our own commands over adb's own server; the phone is attached again at the end."""
    phone, binary = given.device, given.binary

    def ours(*words):
        done = subprocess.run([binary, *words], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr

    def listed():
        done = subprocess.run(["adb", "devices"], capture_output=True, text=True, timeout=20)
        return f"{phone}\tdevice" in done.stdout

    code, out, err = ours("disconnect", phone)
    checks.check("disconnect", code == 0 and not listed(), (code, out, err))
    code, out, err = ours("disconnect", phone)
    checks.check("a phone that is not there", code == 1 and f"{phone} is not connected" in err, (code, out, err))
    code, out, err = ours("connect", phone)
    checks.check("connect", code == 0 and f"connected: {phone}" in out and listed(), (code, out, err))
    code, out, err = ours("connect", phone)
    checks.check("connect once more", code == 0 and listed(), (code, out, err))
    name = phone.replace("127.0.0.1", "localhost")
    code, out, err = ours("connect", name)
    checks.check("connect by name", code == 0 and f"connected: {name}" in out, (code, out, err))
    code, out, err = ours("devices")
    checks.check("one phone under two names", out.count("Aye-aye") == 1 and "also reachable as" in out, out)
    code, out, err = ours("disconnect", name)
    checks.check("disconnect by name", code == 0 and listed(), (code, out, err))
    code, out, err = ours("connect", "127.0.0.1:1")
    checks.check("nothing listens there", code == 1 and "nothing listens at 127.0.0.1:1" in err, (code, out, err))
    code, out, err = ours("connect", "no-such-host.invalid")
    checks.check("no such host", code == 1 and "is known" in err, (code, out, err))
    # Debian 12's adb is of 2019 and cannot pair.
    old = "29." in subprocess.run(["adb", "version"], capture_output=True, text=True, timeout=20).stdout
    for words in (["pair"], ["pair", "127.0.0.1:1", "123456"]):
        code, out, err = ours(*words)
        told = "older than Android's platform-tools 30" in err
        checks.check(f"{' '.join(words)} says what is wrong", code == 1 and (told or not old), (code, out, err))
    code, out, err = ours("disconnect")
    checks.check("disconnect all", code == 0 and not listed(), (code, out, err))
    code, out, err = ours("connect", phone)
    checks.check("and the phone is back", code == 0 and listed(), (code, out, err))


def at_once(count, work):
    results = [None] * count

    def run(index):
        results[index] = work()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def picture_size(png):
    try:
        image = Image.open(BytesIO(png))
        image.load()
        return image.size
    except Exception as error:
        return repr(error)


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if Path(path).exists() else None


if __name__ == "__main__":
    main()
