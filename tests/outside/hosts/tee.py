"""Stands between a host and a server on stdio and writes down what passes: `tee.py LOG COMMAND...`.

One JSON line a message: seconds since the start, `>` from the host or `<` from the server, the message.
"""

import json
import signal
import subprocess
import sys
import threading
import time

START = time.monotonic()


def copy(source, to, mark, log, lock):
    for line in source:
        with lock:
            text = line.decode("utf-8", "replace").rstrip("\n")
            log.write(json.dumps([round(time.monotonic() - START, 3), mark, text], ensure_ascii=False) + "\n")
            log.flush()
        try:
            to.write(line)
            to.flush()
        except (BrokenPipeError, ValueError):
            break


def main():
    log, lock = open(sys.argv[1], "a", encoding="utf-8"), threading.Lock()
    child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: child.terminate())

    def inward():
        copy(sys.stdin.buffer, child.stdin, ">", log, lock)
        try:
            child.stdin.close()
        except BrokenPipeError:
            pass

    threading.Thread(target=inward, daemon=True).start()
    copy(child.stdout, sys.stdout.buffer, "<", log, lock)
    sys.exit(child.wait())


main()
