#!/usr/bin/env python3
"""Tests of the release scripts, some seconds, without building anything: `.ci/run rules` runs them.

Packages are made around a stand-in for the binary and opened again; the launchers of npm and Python are really started.
"""

import base64
import contextlib
import csv
import functools
import hashlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bundle
import buttons
import changelog
import collect
import notices
import package
import product
from registry import Registry

REPOSITORY = product.Repository("Some-Owner/ayeaye")
HOST = product.target("x86_64-unknown-linux-gnu")
# Says what reached it; ends as it is told, or by a signal.
STAND_IN = """#!/bin/sh
case "$1" in
  end) exit "$2" ;;
  words) printf '%s\\n' "$@"; cat ;;
  signal) trap 'echo got TERM; exit 7' TERM; trap 'echo got INT; exit 8' INT; echo ready; while :; do sleep 0.05; done ;;
  die) kill -KILL $$ ;;
esac
"""


class Packages(unittest.TestCase):
    """The packages of one system and of all, made once."""

    @classmethod
    def setUpClass(cls):
        cls.held = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.held.name)
        cls.notices = cls.folder / "notices"
        cls.notices.write_text("what others made\n")
        cls.binary = cls.folder / "binary"
        cls.binary.write_text(STAND_IN)
        cls.dist = cls.folder / "dist"
        os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
        for target in product.TARGETS:
            package.packages(cls.dist, target, cls.binary, cls.notices, REPOSITORY)
        bundle.write(cls.dist, {"linux": cls.binary, "win32": cls.binary}, cls.notices, REPOSITORY)
        words = [sys.executable, product.HERE / "collect.py", "--dist", cls.dist, "--notices", cls.notices]
        subprocess.run([*words, "--repository", REPOSITORY.slug], check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.held.cleanup()

    def npm_manifest(self, name):
        with tarfile.open(self.dist / name) as opened:
            return json.load(opened.extractfile("package/package.json"))

    def wheel_of(self, target):
        return next(self.dist.glob(f"*-{target.wheel}.whl"))

    def test_every_archive_has_the_program_and_what_must_come_with_it(self):
        for target in product.TARGETS:
            with self.subTest(target.triple), tempfile.TemporaryDirectory() as folder:
                shutil.unpack_archive(str(self.dist / target.archive), folder)
                inside = Path(folder) / target.folder
                self.assertEqual((inside / target.binary).read_text(), STAND_IN)
                self.assertIn("others", (inside / product.NOTICES).read_text())
                for name in product.LICENSE_FILES:
                    self.assertEqual((inside / name).read_bytes(), (product.ROOT / name).read_bytes())
                if not target.windows:
                    self.assertTrue(os.access(inside / target.binary, os.X_OK))

    def test_packages_of_the_same_binary_are_the_same_bytes(self):
        again = self.folder / "again"
        for path in package.packages(again, HOST, self.binary, self.notices, REPOSITORY):
            self.assertEqual(path.read_bytes(), (self.dist / path.name).read_bytes(), path.name)

    def test_wheels_record_every_file_with_its_digest(self):
        for target in product.TARGETS:
            with self.subTest(target.triple), zipfile.ZipFile(self.wheel_of(target)) as opened:
                names = opened.namelist()
                (record,) = [it for it in names if it.endswith(".dist-info/RECORD")]
                rows = {row[0]: row for row in csv.reader(io.StringIO(opened.read(record).decode()))}
                self.assertEqual(sorted(rows), sorted(names))
                for name in names:
                    if name == record:
                        continue
                    digest = base64.urlsafe_b64encode(hashlib.sha256(opened.read(name)).digest()).rstrip(b"=").decode()
                    self.assertEqual(rows[name][1:], [f"sha256={digest}", str(len(opened.read(name)))], name)
                scripts = [it for it in opened.infolist() if ".data/scripts/" in it.filename]
                self.assertEqual([it.filename.rsplit("/", 1)[1] for it in scripts], [target.binary])
                self.assertEqual(scripts[0].external_attr >> 16 & 0o777, 0o755)

    def test_wheels_say_what_they_are(self):
        with zipfile.ZipFile(self.wheel_of(HOST)) as opened:
            (name,) = [it for it in opened.namelist() if it.endswith("METADATA")]
            text = opened.read(name).decode()
            tags = opened.read(name.replace("METADATA", "WHEEL")).decode()
        self.assertIn(f"\nVersion: {product.python_version(product.version())}\n", text)
        self.assertIn(f"mcp-name: {REPOSITORY.server_name} -->", text)
        self.assertNotRegex(text, r"\{\w+\}")
        self.assertIn("Tag: py3-none-manylinux2014_x86_64\n", tags)
        self.assertIn("Tag: py3-none-manylinux_2_17_x86_64\n", tags)

    def test_versions_are_written_as_pypi_does(self):
        self.assertEqual(product.python_version("1.2.3"), "1.2.3")
        self.assertEqual(product.python_version("1.2.3-rc.4"), "1.2.3rc4")
        with self.assertRaises(SystemExit):
            product.python_version("1.2.3-nightly")

    def test_the_npm_package_names_one_package_for_each_system_in_its_own_version(self):
        version = product.version()
        main = self.npm_manifest(f"ayeaye-{version}.tgz")
        self.assertEqual(set(main["optionalDependencies"].values()), {version})
        self.assertEqual(main["mcpName"], REPOSITORY.server_name)
        for target in product.TARGETS:
            system = self.npm_manifest(f"ayeaye-{target.npm_os}-{target.npm_cpu}-{version}.tgz")
            self.assertIn(system["name"], main["optionalDependencies"])
            self.assertEqual((system["os"], system["cpu"], system["version"]), ([target.npm_os], [target.npm_cpu], version))
            self.assertEqual("libc" in system, target.npm_os == "linux")

    def test_the_bundle_has_the_program_that_its_manifest_starts(self):
        with zipfile.ZipFile(self.dist / "ayeaye.mcpb") as opened:
            manifest = json.loads(opened.read("manifest.json"))
            config = manifest["server"]["mcp_config"]
            self.assertEqual(manifest["version"], product.version())
            self.assertEqual(manifest["compatibility"]["platforms"], ["linux", "win32"])
            for override in config["platform_overrides"].values():
                self.assertIn(override["command"].replace("${__dirname}/", ""), opened.namelist())
            # A setting without a default would reach the program as the text "${user_config.…}".
            for value in config["env"].values():
                self.assertEqual(manifest["user_config"][value[len("${user_config.") : -1]]["default"], "")

    def test_the_registry_is_told_of_packages_that_exist(self):
        described = json.loads((self.dist / "server.json").read_text())
        self.assertEqual(described["version"], product.version())
        self.assertLessEqual(len(described["description"]), 100)
        self.assertRegex(described["name"], r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$")
        by_kind = {it["registryType"]: it for it in described["packages"]}
        self.assertEqual(set(by_kind), {"npm", "pypi", "oci", "mcpb"})
        digest = hashlib.sha256((self.dist / "ayeaye.mcpb").read_bytes()).hexdigest()
        self.assertEqual(by_kind["mcpb"]["fileSha256"], digest)
        # Image names have no capitals, whatever the owner is called.
        self.assertEqual(by_kind["oci"]["identifier"], f"ghcr.io/some-owner/ayeaye:{product.version()}")

    def test_the_formula_has_the_digest_of_each_archive(self):
        text = (self.dist / "ayeaye.rb").read_text()
        for target in product.TARGETS:
            digest = hashlib.sha256((self.dist / target.archive).read_bytes()).hexdigest()
            self.assertEqual(digest in text, not target.windows, target.triple)
            self.assertEqual(REPOSITORY.asset(product.version(), target.archive) in text, not target.windows)
        self.assertNotRegex(text, r"(?<!#)\{[a-z]")

    def test_the_sums_are_those_of_all_files(self):
        lines = dict(reversed(it.split("  ")) for it in (self.dist / "SHA256SUMS").read_text().splitlines())
        there = {it.name for it in self.dist.iterdir()} - {"SHA256SUMS", collect.NOTES}
        self.assertEqual(set(lines), there)
        for name, digest in lines.items():
            self.assertEqual(hashlib.sha256((self.dist / name).read_bytes()).hexdigest(), digest, name)

    def test_a_release_lacking_a_system_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, product.HERE / "collect.py", "--dist", folder, "--notices", self.notices, "--repository", REPOSITORY.slug],
                capture_output=True, text=True, check=False,
            )
        self.assertEqual(done.returncode, 1)
        self.assertIn("lacks", done.stderr)

    def test_a_binary_above_the_promise_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            big = Path(folder) / "big"
            with open(big, "wb") as file:
                file.truncate(package.LIMIT)
            words = [sys.executable, product.HERE / "package.py", "--target", HOST.triple, "--binary", big, "--notices", self.notices]
            done = subprocess.run([*words, "--out", folder, "--repository", REPOSITORY.slug], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("promised", done.stderr)

    def test_the_registry_on_loopback_has_these_packages_and_no_others(self):
        with Registry(self.dist) as registry:
            self.assertIn(self.wheel_of(HOST).name.encode(), registry.answer("/simple/ayeaye-mcp/")[1])
            self.assertIsNone(registry.answer("/simple/ayeaye/")[1])
            self.assertEqual(json.loads(registry.answer("/npm/@ayeaye/linux-x64")[1])["dist-tags"]["latest"], product.version())
            self.assertIsNone(registry.answer("/files/../notices")[1])

    # The launchers.

    def unpacked(self, folder, *names):
        """node_modules with these packages."""
        modules = Path(folder) / "node_modules"
        for name in names:
            with tarfile.open(self.dist / f"{name.lstrip('@').replace('/', '-')}-{product.version()}.tgz") as opened:
                opened.extractall(modules / "staging")
            (modules / name).parent.mkdir(parents=True, exist_ok=True)
            (modules / "staging" / "package").rename(modules / name)
        return [shutil.which("node") or self.skipTest("no node here"), str(modules / "ayeaye" / "bin" / "ayeaye.js")]

    def launchers(self, folder):
        """Commands that start the stand-in as npm's and PyPI's packages do."""
        with zipfile.ZipFile(self.wheel_of(HOST)) as opened:
            opened.extractall(Path(folder) / "site")
        scripts = Path(folder) / "bin"
        scripts.mkdir()
        shutil.copy(self.binary, scripts / "ayeaye")
        (scripts / "ayeaye").chmod(0o755)
        start = "import sys; sys.argv[0] = sys.argv.pop(1); from ayeaye_mcp.__main__ import main; main()"
        yield "python", [sys.executable, "-c", start, str(scripts / "ayeaye-mcp")], {"PYTHONPATH": str(Path(folder) / "site")}
        if sys.platform == "linux" and os.uname().machine == "x86_64":
            node = self.unpacked(folder, "ayeaye", "@ayeaye/linux-x64")
            yield "node", node, {}
            # Newer Nodes replace themselves; this is how it goes on older ones.
            yield "node, a child", [node[0], "-e", f"process.argv.splice(1, 0, {json.dumps(node[1])}); process.execve = undefined; require(process.argv[1])", "--"], {}

    def test_launchers_hand_over_words_input_output_and_the_exit_code(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, command, env in self.launchers(folder):
                with self.subTest(name):
                    words = ["words", "two words", "", "--flag=ü"]
                    done = subprocess.run([*command, *words], input=b"line\n", env={**os.environ, **env}, capture_output=True, check=False)
                    self.assertEqual(done.stdout.decode(), "\n".join(words) + "\nline\n")
                    self.assertEqual((done.returncode, done.stderr), (0, b""))
                    done = subprocess.run([*command, "end", "3"], env={**os.environ, **env}, check=False)
                    self.assertEqual(done.returncode, 3)
                    done = subprocess.run([*command, "die"], env={**os.environ, **env}, check=False)
                    self.assertEqual(done.returncode, -signal.SIGKILL)

    def test_launchers_pass_signals_on(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, command, env in self.launchers(folder):
                for sent, code in ((signal.SIGTERM, 7), (signal.SIGINT, 8)):
                    with self.subTest(name, sent=sent):
                        # What runs behind a shell ignores SIGINT, and whatever it starts would too.
                        heeded = functools.partial(signal.signal, sent, signal.SIG_DFL)
                        started = subprocess.Popen([*command, "signal"], env={**os.environ, **env}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, preexec_fn=heeded)
                        try:
                            self.assertEqual(started.stdout.readline(), b"ready\n")
                            started.send_signal(sent)
                            self.assertEqual(started.wait(20), code)
                        finally:
                            with contextlib.suppress(ProcessLookupError):
                                os.killpg(started.pid, signal.SIGKILL)
                            started.wait()
                            started.stdin.close()
                            started.stdout.close()

    def test_npm_says_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            command = self.unpacked(folder, "ayeaye")
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("--omit=optional", done.stderr)
            # A system nobody made a package for.
            other = f"Object.defineProperty(process, 'arch', {{ value: 'sparc' }}); require({json.dumps(command[1])})"
            done = subprocess.run([command[0], "-e", other], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("there is no package for linux-sparc", done.stderr)
            self.assertIn("linux-arm64", done.stderr)


class Notices(unittest.TestCase):
    def test_everything_that_is_linked_has_a_text_and_fonts_have_their_own(self):
        texts, crates = notices.collect()
        named = "\n".join(where for _, places in texts for where in places)
        for name, version, *_ in crates:
            self.assertIn(f"{name} {version}", named)
        self.assertGreater(len(crates), 100)
        for font in ("ttf-noto-sans", "material-icons", "epaint_default_fonts"):
            self.assertIn(font, [name for name, *_ in crates], "the virtual phone has other fonts now: name them here")
        for file in ("assets/LICENSE-2.0.txt", "fonts/OFL.txt", "fonts/emoji-icon-font-mit-license.txt"):
            self.assertIn(f", {file}", named)

    def test_a_crate_without_a_text_is_refused(self):
        crate = {"name": "thing", "version": "1.0.0", "license": "BSD-3-Clause", "authors": ["A <a@example.invalid>"]}
        with self.assertRaisesRegex(SystemExit, "thing 1.0.0"):
            notices.fallback(crate)
        self.assertIn("Copyright (c) A\n", notices.fallback({**crate, "license": "MIT"}))


class Versions(unittest.TestCase):
    def test_the_lock_file_has_the_version_of_every_crate_of_ours(self):
        lock = (product.ROOT / "Cargo.lock").read_text()
        for manifest in (product.ROOT / "crates").glob("*/Cargo.toml"):
            self.assertIn("version.workspace = true", manifest.read_text(), manifest)
            name = manifest.parent.name
            self.assertIn(f'name = "{name}"\nversion = "{product.version()}"\n', lock)

    def test_the_changelog_has_the_version_or_what_comes(self):
        self.assertTrue(changelog.section(product.version()).strip())

    def test_a_section_that_no_release_page_takes_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / changelog.PATH
            path.parent.mkdir()
            for length, fits in ((changelog.LONGEST - 1, True), (changelog.LONGEST, False)):
                path.write_text(f"# Changelog\n\n## Unreleased\n\n{'x' * length}\n")
                with self.subTest(length), contextlib.nullcontext() if fits else self.assertRaises(SystemExit):
                    self.assertEqual(len(changelog.section("0.2.0", Path(folder))), length + 1)

    def test_changelogs_are_cut_once(self):
        text = "# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0, 2026-01-02\n\n- Old.\n"
        self.assertEqual(changelog.cut(text, "0.2.0", "2026-02-03"), text.replace("## Unreleased", "## 0.2.0, 2026-02-03"))
        for wrong, version in (
            (text.replace("- New.\n\n", ""), "0.2.0"),
            (text.replace("## Unreleased\n\n- New.\n\n", ""), "0.2.0"),
            (text, "0.1.0"),
            (text.replace("Unreleased", "0.3.0, unreleased"), "0.2.0"),
        ):
            with self.assertRaises(SystemExit):
                changelog.cut(wrong, version, "2026-02-03")


class Cut(unittest.TestCase):
    """The command itself, in a clone."""

    def setUp(self):
        self.held = tempfile.TemporaryDirectory()
        self.addCleanup(self.held.cleanup)
        self.root = Path(self.held.name) / "clone"
        # What the work tree has, as a repository of its own: the state under test, committed or not.
        self.root.mkdir()
        for name in ("Cargo.toml", "Cargo.lock", "docs/changelog.md"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(product.ROOT / name, self.root / name)
        for path in [*(product.ROOT / "crates").glob("*/Cargo.toml")]:
            folder = self.root / path.parent.relative_to(product.ROOT)
            shutil.copytree(path.parent, folder, symlinks=True)
        # Tests and examples that manifests name.
        shutil.copytree(product.ROOT / "tests", self.root / "tests", ignore=shutil.ignore_patterns("node_modules"), symlinks=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Tester")
        self.git("config", "user.email", "tester@example.invalid")
        self.git("add", ".")
        self.git("commit", "--quiet", "--no-verify", "--message", "as it is")

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True, text=True).stdout

    def cut(self, *words):
        return subprocess.run([sys.executable, product.HERE / "cut", "--root", self.root, *words], capture_output=True, text=True, check=False)

    def unreleased(self):
        """The changelog as it is between versions."""
        path = self.root / "docs" / "changelog.md"
        text = path.read_text()
        first = changelog.headings(text)[0]
        path.write_text(text[: first[0]] + "## Unreleased\n\n- Something new.\n\n" + text[first[0] :])
        self.git("commit", "--quiet", "--no-verify", "--all", "--message", "news")

    def test_a_version_is_one_commit_and_one_tag(self):
        self.unreleased()
        done = self.cut("9.8.7")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(product.version(self.root), "9.8.7")
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertEqual(self.git("describe", "--exact-match").strip(), "v9.8.7")
        changed = self.git("show", "--format=%s", "--name-only", "HEAD").split("\n")
        self.assertEqual([it for it in changed if it], ["release: 9.8.7", "Cargo.lock", "Cargo.toml", "docs/changelog.md"])
        lock = (self.root / "Cargo.lock").read_text()
        self.assertEqual(lock.count('version = "9.8.7"'), len(list((self.root / "crates").glob("*/Cargo.toml"))))
        self.assertRegex((self.root / "docs/changelog.md").read_text(), r"(?m)^## 9\.8\.7, \d{4}-\d\d-\d\d$")
        # A second time there is nothing to cut.
        again = self.cut("9.8.8")
        self.assertEqual(again.returncode, 1)
        self.assertIn("Unreleased", again.stderr)

    def test_what_is_not_fit_to_be_cut_is_refused_and_left_alone(self):
        self.unreleased()
        before = self.git("rev-parse", "HEAD")
        for words, reason in ((("0.0.1",), "before"), (("9.8",), "not a version"), (("9.8.7-nightly.1",), "not a version")):
            done = self.cut(*words)
            self.assertEqual(done.returncode, 1)
            self.assertIn(reason, done.stderr)
        (self.root / "Cargo.toml").write_text((self.root / "Cargo.toml").read_text() + "\n# not committed\n")
        done = self.cut("9.8.7")
        self.assertIn("not clean", done.stderr)
        self.git("checkout", "--quiet", "--", ".")
        self.git("checkout", "--quiet", "-b", "aside")
        self.assertIn("main", self.cut("9.8.7").stderr)
        self.git("checkout", "--quiet", "main")
        self.git("tag", "v9.8.7")
        self.assertIn("exists", self.cut("9.8.7").stderr)
        self.assertEqual(self.git("rev-parse", "HEAD"), before)
        self.assertEqual(self.cut("9.8.8", "--dry-run").returncode, 0)
        self.assertEqual(self.git("status", "--porcelain"), "")


class Pages(unittest.TestCase):
    def test_links_to_install_add_the_server_as_it_is_to_be_added(self):
        self.assertEqual(buttons.check(buttons.pages()), [])

    def test_links_say_what_they_do(self):
        for _, page, own in buttons.links():
            for link in (page, own):
                self.assertEqual(buttons.decoded(link), (product.NAME, buttons.COMMAND), link)
                self.assertEqual(buttons.wrong_links(f"[x]({link})"), [])
        other = buttons.cursor().replace("eyJjb21tYW5k", "eyJjb21tYW5l")
        self.assertEqual(len(buttons.wrong_links(f"[x]({other})")), 1)
        self.assertEqual(len(buttons.wrong_links("[x](https://cursor.com/en/install-mcp?name=ayeaye&config=%%%)")), 1)

    def test_no_page_runs_somebody_elses_ayeaye(self):
        for text in ("uvx ayeaye demo", "pipx run ayeaye", "pip install ayeaye", "`uv tool install ayeaye`", "pip install --user ayeaye", '"command": "uvx", "args": ["ayeaye", "serve"]'):
            self.assertTrue(buttons.OTHER.search(text), text)
        for text in ("uvx ayeaye-mcp demo", "pipx install ayeaye-mcp", "uvx --from ayeaye-mcp ayeaye serve", "npx -y ayeaye", '"uvx", "args": ["ayeaye-mcp", "serve"]', '"uvx", "args": ["--from", "ayeaye-mcp", "ayeaye"]'):
            self.assertFalse(buttons.OTHER.search(text), text)


class Workflows(unittest.TestCase):
    def test_actions_are_pinned_by_commit_and_the_same_everywhere(self):
        pinned = {}
        for path in sorted((product.ROOT / ".github" / "workflows").glob("*.yml")):
            for action, commit, tag in re.findall(r"uses: ([^@\s]+)@(\S+)(?: # (\S+))?", path.read_text()):
                self.assertRegex(commit, r"^[0-9a-f]{40}$", f"{path.name}: {action}")
                self.assertTrue(tag, f"{path.name}: {action} does not say which version its commit is")
                self.assertEqual(pinned.setdefault(action, (commit, tag)), (commit, tag), f"{path.name}: {action}")

    def test_the_release_workflow_builds_every_system(self):
        text = (product.ROOT / ".github" / "workflows" / "release.yml").read_text()
        for target in product.TARGETS:
            self.assertIn(f"target: {target.triple}\n", text)

    def test_scripts_that_the_workflow_calls_exist(self):
        text = (product.ROOT / ".github" / "workflows" / "release.yml").read_text()
        called = set(re.findall(r"\.github/release/[\w./-]*\w", text))
        self.assertTrue(called)
        for name in called:
            self.assertTrue((product.ROOT / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
