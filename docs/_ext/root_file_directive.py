"""The directive `root-file`: a Markdown file of the repository's root as a page, with links that fit the site."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
PAGES = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md")


def target(link: str) -> str | None:
    """Where a link of a file in the root leads from docs/developers; None if the site has no such page.

    >>> target("docs/maths.md#2-scoring"), target("CONTRIBUTING.md"), target("docs/decisions"), target("LICENSE")
    ('../maths.md#2-scoring', 'contributing.md', 'decisions.md', None)
    """
    if link.startswith(("http:", "https:", "mailto:", "#")):
        return link
    path, _, anchor = link.partition("#")
    if path == "docs/decisions":
        return "decisions.md"
    if path.startswith("docs/") and path.endswith(".md"):
        return f"../{link.removeprefix('docs/')}"
    return path.lower() + (f"#{anchor}" if anchor else "") if path in PAGES else None


def with_links(text: str) -> str:
    """The text with every link changed; one that leads to no page is left as plain text."""

    def changed(found: re.Match[str]) -> str:
        to = target(found[2])
        return found[1] if to is None else f"[{found[1]}]({to})"

    return LINK.sub(changed, text)


class RootFileDirective(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        path = ROOT / self.arguments[0]
        self.env.note_dependency(str(path))
        return self.parse_text_to_nodes(with_links(path.read_text("utf-8")), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("root-file", RootFileDirective)
    return {"parallel_read_safe": True}
