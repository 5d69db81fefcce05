"""Starts the program `ayeaye` that was installed beside this package."""

import os
import subprocess
import sys
import sysconfig


def candidates():
    name = "ayeaye.exe" if os.name == "nt" else "ayeaye"
    yield os.path.join(sysconfig.get_path("scripts"), name)
    # As `pip install --user` does it.
    user = "nt_user" if os.name == "nt" else "osx_framework_user" if sys.platform == "darwin" and sys._framework else "posix_user"
    if user in sysconfig.get_scheme_names():
        yield os.path.join(sysconfig.get_path("scripts", scheme=user), name)
    # As `pip install --target` and `--prefix` do it.
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(os.path.dirname(here), "bin", name)
    yield os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(here)))), "bin", name)
    if sys.argv and sys.argv[0]:
        yield os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), name)


def find():
    for path in candidates():
        if os.path.isfile(path):
            return path
    sys.exit(
        "ayeaye-mcp: the program `ayeaye` is not where this Python's scripts are ({}).\n"
        "Install the package again: pip install --force-reinstall ayeaye-mcp".format(sysconfig.get_path("scripts"))
    )


def main():
    path = find()
    if os.name != "nt":
        # From here on the program is this process: its input, signals and exit code are nobody else's.
        os.execv(path, [path, *sys.argv[1:]])
    # Windows cannot replace a process. Ctrl-C reaches the program by itself; this one waits for its end.
    program = subprocess.Popen([path, *sys.argv[1:]])
    while True:
        try:
            sys.exit(program.wait())
        except KeyboardInterrupt:
            continue


if __name__ == "__main__":
    main()
