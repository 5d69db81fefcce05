"""Links from a page to files outside docs/ lead to the repository."""

import os
import posixpath
import re

REPOSITORY = os.environ.get("GITHUB_REPOSITORY", "ayeaye/ayeaye")
LINK = re.compile(r"(\]\()(\.\./[^)#\s]*)")


def on_page_markdown(markdown, page, **_):
    folder = posixpath.join("docs", posixpath.dirname(page.file.src_uri))

    def outside(found):
        target = posixpath.normpath(posixpath.join(folder, found[2]))
        if target.startswith("docs/"):
            return found[0]
        return f"{found[1]}https://github.com/{REPOSITORY}/blob/main/{target}"

    return LINK.sub(outside, markdown)
