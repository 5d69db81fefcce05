#!/usr/bin/env python3
"""Directions between modules: no circles anywhere, and the order that .ci/layers states at the top of each crate.

    python3 .ci/modules.py                check everything
    python3 .ci/modules.py --crate NAME   print what uses what in one crate, then check it

Sibling modules (those with the same parent) may not use each other in a circle. At the top of a crate they
stand in one order, written in .ci/layers: a module uses only modules to its left. In the tables of
docs/architecture.md it uses none of a later row. What a parent re-exports
counts as the module that defines it; code under #[cfg(test)] may use what it likes.
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

SKIPPED = re.compile(
    r"""//[^\n]*                            # comments, of lines
      | /\*.*?\*/                           # and of blocks
      | \bb?r(?P<hashes>\#*)".*?"(?P=hashes)  # raw strings
      | b?"(?:\\.|[^"\\])*"                 # strings
      | b?'(?:\\[^']*|[^'\\])'              # characters""",
    re.S | re.X,
)
TEST_ONLY = re.compile(r"#\[cfg\((?:test|all\(test[^]]*)\)\]\s*(?:#\[[^]]*\]\s*)*")
DECLARED = re.compile(r"(?:#\[path\s*=\s*\"[^\"]*\"\]\s*)?\b(?:pub(?:\([^)]*\))?\s+)?mod\s+([a-z_0-9]+)\s*;")
USE = re.compile(r"\buse\s+([^;]+);")
PATH = re.compile(r"\b((?:crate|super|self)(?:\s*::\s*(?:super|[A-Za-z_0-9]+))+)")


def code_of(text):
    """The code alone: no comments, no texts, nothing that only tests see."""
    text = SKIPPED.sub(lambda m: '""' if '"' in m.group(0)[:3] else " ", text)
    kept, at = [], 0
    while found := TEST_ONLY.search(text, at):
        kept.append(text[at : found.start()])
        at = end_of_item(text, found.end())
    return "".join([*kept, text[at:]])


def end_of_item(text, at):
    """Where the item that begins here ends: behind its `;` or its closing brace."""
    depth = 0
    for at in range(at, len(text)):
        match text[at]:
            case ";" if depth == 0:
                return at + 1
            case "{":
                depth += 1
            case "}":
                depth -= 1
                if depth == 0:
                    return at + 1
    return len(text)


def expand(tree):
    """The (path, name) pairs of what stands behind `use`."""
    tree = tree.strip()
    if "{" in tree:
        head, rest = tree.split("{", 1)
        body, depth, part = [], 0, ""
        for char in rest:
            if char == "}" and depth == 0:
                break
            depth += (char == "{") - (char == "}")
            if char == "," and depth == 0:
                body.append(part)
                part = ""
            else:
                part += char
        body.append(part)
        return [pair for one in body if one.strip() for pair in expand(head + one)]
    path, _, alias = tree.partition(" as ")
    path = [word.strip() for word in path.split("::") if word.strip()]
    if path and path[-1] == "self":
        path.pop()
    return [(path, alias.strip() or (path[-1] if path else ""))]


class Crate:
    def __init__(self, folder):
        self.name = folder.name
        self.code = {}  # a module's path -> its code
        self.names = {}  # a module's path -> {a name it imports or re-exports: where that comes from}
        source = folder / "src"
        self.load((), source / "lib.rs" if (source / "lib.rs").exists() else source / "main.rs", source)

    def load(self, module, file, folder):
        code = code_of(file.read_text())
        self.code[module] = code
        self.names[module] = {name: path for use in USE.findall(code) for path, name in expand(use)}
        for child in DECLARED.findall(code):
            below = folder / child
            if (child_file := folder / f"{child}.rs").exists():
                self.load((*module, child), child_file, below)

    def module_of(self, path, module, seen=()):
        """The module that defines what a path means in a module; None for what is not this crate's."""
        if not path or (module, tuple(path)) in seen:
            return None
        seen = (*seen, (module, tuple(path)))
        match path[0]:
            case "crate":
                at = ()
            case "self":
                at = module
            case "super":
                at = module[:-1]
            case first if (*module, first) in self.code:
                at = (*module, first)
            case _:
                return None
        for index, word in enumerate(path[1:], 1):
            if word == "super":
                at = at[:-1]
            elif (*at, word) in self.code:
                at = (*at, word)
            elif word == "*":
                return at
            elif came_from := self.names[at].get(word):
                return self.module_of(came_from + path[index + 1 :], at, seen) or at
            else:
                return at
        return at

    def uses(self):
        """{parent: {child: {the siblings it uses: one place where}}}"""
        found = {}
        for module, code in self.code.items():
            rest = USE.sub(" ", code)
            paths = [path for use in USE.findall(code) for path, _ in expand(use)]
            paths += [re.sub(r"\s", "", path).split("::") for path in PATH.findall(rest)]
            for path in paths:
                target = self.module_of(path, module)
                if target is None:
                    continue
                same = 0
                while same < min(len(module), len(target)) and module[same] == target[same]:
                    same += 1
                if same < len(module) and same < len(target):
                    siblings = found.setdefault(module[:same], {}).setdefault(module[same], {})
                    siblings.setdefault(target[same], f"{'/'.join(module)}.rs uses {'::'.join(path)}")
        return found


def circles(graph):
    """The groups of siblings that reach each other (Tarjan's strongly connected components)."""
    index, low, stack, groups = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = []
            while node not in group:
                group.append(stack.pop())
            if len(group) > 1:
                groups.append(sorted(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return groups


def layers():
    stated = {}
    for line in (ROOT / ".ci/layers").read_text().splitlines():
        line = line.split("#")[0]
        if ":" in line:
            crate, modules = line.split(":", 1)
            stated.setdefault(crate.strip(), []).extend(modules.split())
    return stated


def rows():
    """{crate: {module: its row}}, of the page that says what each module is for."""
    stated, crate = {}, None
    for number, line in enumerate((ROOT / "docs/architecture.md").read_text().splitlines(), 1):
        if line.startswith("#"):
            heading = re.fullmatch(r"### `([a-z-]+)`", line)
            crate = heading and stated.setdefault(heading[1], {})
        elif crate is not None and line.startswith("| `"):
            crate.update(dict.fromkeys(re.findall(r"`([a-z_0-9]+)`", line.split("|")[1]), number))
    return stated


def check(crate, order, row, verbose):
    found = crate.uses()
    if verbose:
        for parent, graph in sorted(found.items()):
            for child, others in sorted(graph.items()):
                print(f"{'::'.join(('crate', *parent))}: {child} -> {' '.join(sorted(others))}")
    broken = []
    for parent, graph in sorted(found.items()):
        for group in circles(graph):
            places = [graph[a][b] for a in group for b in group if b in graph.get(a, {})]
            where = "::".join((crate.name, *parent))
            broken.append(f"a circle in {where}: {' '.join(group)}\n    " + "\n    ".join(places))
    top = {module[0] for module in crate.code if len(module) == 1}
    for missing in sorted(top - set(order)):
        broken.append(f".ci/layers does not name {crate.name}'s module {missing}")
    for gone in sorted(set(order) - top):
        broken.append(f".ci/layers names {gone}, which {crate.name} does not have")
    place = {module: at for at, module in enumerate(order)}
    for module, others in sorted(found.get((), {}).items()):
        for other, where in sorted(others.items()):
            if module in place and other in place and place[module] < place[other]:
                broken.append(f"{crate.name}: {module} stands left of {other} in .ci/layers and uses it: {where}")
            if row.get(module, 0) < row.get(other, 0):
                broken.append(f"docs/architecture.md: {crate.name}'s {module} stands above {other} and uses it: {where}")
    return broken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--crate")
    chosen = parser.parse_args().crate
    stated, page, broken = layers(), rows(), []
    for folder in sorted((ROOT / "crates").iterdir()):
        if not folder.is_dir() or chosen not in (None, folder.name):
            continue
        order, row = stated.get(folder.name, []), page.get(folder.name, {})
        broken += check(Crate(folder), order, row, chosen is not None)
    for line in broken:
        print(f"rule broken: {line}")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
