"""The page for people: one file, complete in itself."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

from . import need

# Attributes by which a page has something fetched.
FETCHED = {"src", "srcset", "poster", "data", "background", "action", "formaction", "ping", "manifest", "xlink:href"}
BROWSERS = ["chromium", "chromium-browser", "google-chrome"]


class Fetches(HTMLParser):
    """Everything the page would have fetched, and what it shows."""

    def __init__(self):
        super().__init__()
        self.found, self.styles, self.words, self.tags, self.inside = [], [], [], [], None

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.inside = tag
        for name, value in attributes:
            value = value or ""
            if name in FETCHED and not value.startswith(("data:", "#")):
                self.found.append((tag, name, value))
            if name == "href" and tag != "a" and not value.startswith(("data:", "#")):
                self.found.append((tag, name, value))
            if name == "style":
                self.styles.append(value)
            if name.startswith("on"):
                self.found.append((tag, name, value))
            if tag == "meta" and name == "http-equiv" and value.lower() == "refresh":
                self.found.append((tag, name, value))

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        (self.styles if self.inside == "style" else self.words).append(data)


def alone(path):
    """The page asks nobody for anything. Returns its words and how many pictures it has."""
    page = Fetches()
    page.feed(Path(path).read_text(encoding="utf-8"))
    need(not page.found, f"the page fetches {page.found[:3]}")
    for style in page.styles:
        urls = re.findall(r"url\(\s*['\"]?([^'\")]+)", style)
        need(all(url.startswith(("data:", "#")) for url in urls), f"a style fetches {urls}")
        need("@import" not in style, "a style imports another")
    return " ".join(" ".join(page.words).split()), sum(page.tags.count(tag) for tag in ("img", "image", "use"))


def browser():
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def shown(path, folder):
    """Opened in a browser without a network: a picture of it, and the addresses it asked for."""
    picture, log = Path(folder) / "report.png", Path(folder) / "net.json"
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    command += ["--disable-background-networking", "--disable-component-update", "--no-first-run"]
    command += ["--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}/browser"]
    command += [f"--log-net-log={log}", "--window-size=1000,1600", f"--screenshot={picture}", Path(path).as_uri()]
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True)
    asked = set(re.findall(r'"url":"((?:https?|wss?)://[^"]*)"', log.read_text(errors="replace")))
    # What the browser asks for by itself, whatever page is open.
    own = ("googleapis.com", "google.com", "gvt1.com", "gstatic.com")
    strange = [url for url in asked if not any(re.match(rf"https?://([\w.-]+\.)?{re.escape(it)}[:/]", url) for it in own)]
    return picture, strange


