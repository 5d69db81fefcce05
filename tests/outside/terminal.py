"""`ayeaye install` and `ayeaye setup` at a terminal: questions, their defaults, and Ctrl-C and Ctrl-D at each; and how wide
lines are.

    terminal.py --binary BINARY

The program runs in a home of its own under a pseudo terminal. Standard library only, Unix only.
"""

import argparse
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
from pathlib import Path

from harness import Checks

LIMIT = 60
BEFORE = '// mine\n{\n  "mcpServers": {},\n}\n'


class Terminal:
    """A command under a terminal; what it says is in `said`."""

    def __init__(self, words, home, columns=0):
        # No adb on the PATH: it would start a server at that port.
        environment = {"HOME": str(home), "PATH": str(home), "TERM": "dumb", "ADB_SERVER_SOCKET": "tcp:127.0.0.1:1"}
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40 if columns else 0, columns, 0, 0))
        self.child = subprocess.Popen(
            [str(word) for word in words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
            # A shell that starts this check in the background has it ignore Ctrl-C, and its children with it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        os.close(slave)
        self.said = ""

    def read(self):
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the other side is closed
            return False
        self.said += data.decode("utf-8", "replace")
        return bool(data)

    def until(self, text):
        """Reads until this was said after what was read before."""
        start, end = len(self.said), time.monotonic() + LIMIT
        while text not in self.said[start:]:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.master], [], [], left)[0] or not self.read():
                raise SystemExit(f"waited in vain for {text!r} after:\n{self.said}")
        return self

    def answer(self, text):
        os.write(self.master, text.encode())
        return self

    def interrupt(self):
        self.child.send_signal(signal.SIGINT)
        return self

    def end(self):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if select.select([self.master], [], [], 0.1)[0] and not self.read():
                break
        code = self.child.wait(LIMIT)
        os.close(self.master)
        return code


def too_long(said, columns):
    """The lines that are wider than the terminal; a path and a command that is typed as it is stay whole."""
    lines = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", said).replace("\r", "").splitlines()
    return [line for line in lines if columns < len(line) and "/" not in line and "ayeaye " not in line]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = Path(parser.parse_args().binary).resolve()
    checks = Checks("at a terminal: ")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        cursor = home / ".cursor/mcp.json"
        cursor.parent.mkdir()
        cursor.write_text(BEFORE)

        def files():
            return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())

        def start(*words):
            return Terminal([binary, *words], home)

        untouched = files()
        for name, leave in [("Ctrl-C", Terminal.interrupt), ("Ctrl-D", lambda it: it.answer("\x04"))]:
            run = start("install", "cursor", "--virtual").until("Write this? [Y/n]")
            leave(run)
            checks.check(f"{name} at the question ends it without success", run.end() != 0, run.said)
            checks.check(f"{name} leaves all as it was", files() == untouched and cursor.read_text() == BEFORE, files())
        run = start("install", "cursor", "--virtual").until("Write this? [Y/n]").answer("what\n").until("y or n").answer("n\n")
        checks.check("no is no", run.end() == 1 and cursor.read_text() == BEFORE, run.said)
        run = start("install", "cursor", "--virtual", "--json").until("Write this? [Y/n]")
        checks.check("with --json the change is shown before the question too", '"ayeaye": {' in run.said, run.said)
        checks.check("and no is in the document", run.answer("n\n").end() == 1 and '"state": "refused"' in run.said, run.said)
        run = start("install").until("Which one?").answer("7\n").until("not one of them").answer("cursor\n")
        run.until("Write this? [Y/n]").answer("\n")
        checks.check("Enter is yes", run.end() == 0 and "tools in" in run.said and '"ayeaye"' in cursor.read_text(), run.said)
        run = start("uninstall", "cursor").until("Write this? [Y/n]").answer("\n")
        checks.check("and it is taken out again", run.end() == 0 and cursor.read_text() == BEFORE, run.said)

        for question in ("What now?", "Which one?", "should use the phone?"):
            run = start("setup").until("What now?")
            if question != "What now?":
                run.answer("2\n").until("Which one?")
            if question == "should use the phone?":
                run.answer("\n").until(question)
            run.interrupt()
            checks.check(f"Ctrl-C at {question!r} ends setup", run.end() != 0, run.said)
            checks.check(f"Ctrl-C at {question!r} leaves all as it was", cursor.read_text() == BEFORE, files())
        run = start("setup").until("What now?").answer("2\n").until("Which one?").answer("\n")
        run.until("should use the phone?").answer("1\n").until("Write this? [Y/n]").answer("\n")
        run.until("Do a task now").answer("\n")
        code = run.end()
        checks.check("setup by Enter alone ends with a task done", code == 0 and "Your client can do the same" in run.said, run.said)
        checks.check("and the client is installed", '"ayeaye"' in cursor.read_text(), cursor.read_text())
        for words in (["demo", "--yes"], ["setup", "--yes", "--virtual", "--no-task"], ["doctor"], ["sessions", "list"], ["sessions", "du"]):
            run = Terminal([binary, *words], home, columns=80)
            run.end()
            long = too_long(run.said, 80)
            checks.check(f"at 80 columns no line of {' '.join(words)} is longer", run.said and not long, long or "nothing was said")
    checks.exit()


if __name__ == "__main__":
    main()
