#!/usr/bin/env python3
"""The third-party notices: the licence of everything that is inside the released binary.

    .github/release/notices.py --out THIRD-PARTY-NOTICES.txt

Asks cargo which crates are linked for any released system, and takes the licence files out of their sources, those of
embedded fonts and of code inside crates too. Not cargo-about: it takes minutes to build, knows one text for each licence
and does not look below the top of a crate, where the fonts' licences are. Fails for a crate without a text.
"""

import argparse
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import product

# Files with a licence in them, at any depth. The fonts' own are called OFL.txt, UFL.txt and the like.
FILE = re.compile(r"licen[sc]e|copying|notice|copyright|^(ofl|ufl)\b|^hack-regular\.txt$|unlicense", re.I)
CODE = {".c", ".h", ".html", ".json", ".py", ".rs", ".toml", ".yaml", ".yml"}
# What is not linked: tests and their fonts, tools, examples.
ASIDE = {"tests", "test", "benches", "examples", "fuzz", "tools"}

MIT = """Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software
is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES
OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR
IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""

RULE = "=" * 100
RUST = "the Rust standard library"


def cargo(*words):
    return subprocess.run(
        ["cargo", *words, "--locked", "--offline"], cwd=product.ROOT, capture_output=True, text=True, check=True
    ).stdout


def linked():
    """(name, version) of every crate that any released binary is built from, procedural macros left out. The build
    script of ayeaye-fonts puts the fonts of its own dependencies into it."""
    built = [words("ayeaye-fonts", "build", "--depth", "1")]
    for target in product.TARGETS:
        built.append(words(product.NAME, "normal,no-proc-macro", "--target", target.triple))
    lines = (line for command in built for line in cargo("tree", *command).splitlines())
    names_and_versions = (line.split()[:2] for line in lines)
    return {(name, version.lstrip("v")) for name, version in names_and_versions}


def words(package, edges, *more):
    return ["--package", package, "--edges", edges, "--prefix", "none", "--format", "{p}", *more]


def texts_of(folder):
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if path.is_file() and FILE.search(path.name) and path.suffix.lower() not in CODE and not ASIDE & set(inner.parts[:-1]):
            yield inner, path.read_text(errors="replace")


def fallback(package):
    """The text for a crate that ships none: only MIT, whose text is the same for all but the name."""
    if package["license"] != "MIT" or not package["authors"]:
        raise SystemExit(
            f"{package['name']} {package['version']} ({package['license']}) has no licence file, and no text is known for it: "
            "look at its sources, and say in notices.py what holds"
        )
    names = ", ".join(re.sub(r"\s*<[^>]*>", "", author) for author in package["authors"])
    return f"Copyright (c) {names}\n\n{MIT}"


class StandardLibrary(HTMLParser):
    """Reads the toolchain's own notices: a heading for each crate in the standard library, a <pre> for each of its texts."""

    def __init__(self):
        super().__init__()
        self.crate = self.inside = None
        self.found = []

    def handle_starttag(self, tag, attrs):
        if tag in ("h3", "pre"):
            self.inside, self.words = tag, []

    def handle_data(self, data):
        if self.inside:
            self.words.append(data)

    def handle_endtag(self, tag):
        if tag == self.inside:
            text, self.inside = "".join(self.words), None
            if tag == "h3":
                self.crate = text.encode("ascii", "ignore").decode().strip()
            elif self.crate:
                self.found.append((self.crate, text))


def standard_library():
    """Rust's own library and the crates inside it are in the binary as well: (name, text) each."""
    shown = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    reader = StandardLibrary()
    path = Path(shown) / "share" / "doc" / "rust" / "COPYRIGHT-library.html"
    if path.is_file():
        reader.feed(path.read_text(errors="replace"))
    else:
        print("this toolchain has no COPYRIGHT-library.html: the crates inside the standard library are left out", file=sys.stderr)
    return reader.found


def collect():
    """[(text, [where it holds])] and [(name, version, licence, repository)], each sorted."""
    packages = {(it["name"], it["version"]): it for it in json.loads(cargo("metadata", "--format-version", "1"))["packages"]}
    grouped, crates = {}, []

    def hold(text, where):
        # Line ends and indentation do not make another text.
        grouped.setdefault(re.sub(r"\s+", " ", text).strip(), (text, []))[1].append(where)

    for key in sorted(linked()):
        package = packages[key]
        if package["source"] is None:
            continue
        what = f"{package['name']} {package['version']}"
        crates.append((*key, package["license"] or "see its text", package["repository"] or ""))
        found = list(texts_of(Path(package["manifest_path"]).parent))
        for inner, text in found:
            hold(text, what if len(inner.parts) == 1 else f"{what}, {inner.as_posix()}")
        if not found:
            hold(fallback(package), what)
    hold(f"Copyright (c) The Rust Project Developers\n\n{MIT}", RUST)
    for crate, text in standard_library():
        hold(text, f"{RUST}: {crate}")
    # Two files of one crate with the same text are one place.
    return [(text, sorted(set(where))) for text, where in grouped.values()], crates


def write():
    texts, crates = collect()
    lines = [
        f"Third-party notices for {product.TITLE} {product.version()}",
        "",
        f"{product.TITLE} itself is under {product.LICENSE}. The program contains the following crates and, inside some of them,",
        "fonts and other people's code. Each text below stands under the names of what it holds for.",
        "",
        *(f"  {name} {version}  {licence}  {address}".rstrip() for name, version, licence, address in crates),
    ]
    for text, where in sorted(texts, key=lambda it: it[1]):
        lines += ["", RULE, *where, RULE, "", *(line.rstrip() for line in text.strip("\n").splitlines())]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="the file to write; without it, only the check")
    options = parser.parse_args()
    text = write()
    if options.out:
        options.out.write_text(text)
    print(f"{text.count(RULE) // 2} texts, {len(text.encode()) // 1000} kB", file=sys.stderr)


if __name__ == "__main__":
    main()
