"""What the field's own programs do with the logs we write, and what our own contract asks of them.

Each module reads one format from its folder alone, as strictly as the programs it stands for, and
raises `Broken` where they would fail or lose something.
"""


class Broken(Exception):
    """A log that a reader cannot use."""


def need(holds, what):
    if not holds:
        raise Broken(what)
