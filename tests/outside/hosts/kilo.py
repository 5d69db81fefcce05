"""Kilo Code's command line, `kilo run`; a fork of opencode, with the same settings."""

import opencode

NPM = "@kilocode/cli-linux-x64@7.7.7"  # the program alone: the package around it only looks for it
CLIENT, SETTINGS = "kilo", ".config/kilo/kilo.json"


def command(place):
    opencode.write_settings(place, CLIENT, SETTINGS)
    program = place.tools / "node_modules/@kilocode/cli-linux-x64/bin/kilo"
    environment = place.environment(KILO_DISABLE_MODELS_FETCH="1", KILO_DISABLE_LSP_DOWNLOAD="1")
    return [program, "run", "--auto", place.prompt], environment
