"""One HTML file from a payload: style, scripts and data inside, with a content security policy."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Any

from pitmanyor.call_checks import checked_call

SCRIPTS = (
    "core", "save", "marks", "charts", "topics", "words", "posts", "map", "network", "times", "groups", "heat",
    "echoes", "draft", "trust", "main",
)  # fmt: skip
ASSETS = files("pitmanyor.report").joinpath("assets")


@checked_call()
def build_page(payload: Mapping[str, Any], live: bool = False) -> str:
    """The whole page.

    Data are packed, so that no text in them is ever parsed as HTML. The content security policy allows only the style
    and the scripts of this page: nothing is loaded, and injected scripts do not run.

    Parameters
    ----------
    payload
        What `build_payload` returned.
    live
        Whether the page is served and may ask its server for the topics of a draft.
    """
    style, library = _asset("style.css"), _asset("vendor/d3.min.js")
    script = '"use strict";\n(() => {\n' + "\n".join(_asset(f"{name}.js") for name in SCRIPTS) + "\n})();"
    return Template(_asset("page.html")).substitute(
        title=html.escape(_title(payload)),
        policy=html.escape(_policy(style, (library, script), live)),
        style=style,
        library=library,
        licence=_comment(_asset("vendor/d3.LICENSE.txt")),
        script=script,
        live=json.dumps(live),
        data=pack(payload),
    )


def pack(payload: Mapping[str, Any]) -> str:
    """JSON, compressed, in characters that have no meaning in HTML."""
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode("utf-8", "backslashreplace"), 9, mtime=0)).decode()


def _asset(name: str) -> str:
    return ASSETS.joinpath(name).read_text("utf-8")


def _title(payload: Mapping[str, Any]) -> str:
    about = payload["about"]
    topics, posts = (
        counted(sum(not topic["small"] for topic in payload["topics"]), "topic"),
        counted(about["documents"], "post"),
    )
    return f"{topics} of {about.get('source') or posts}"


def counted(n: int, what: str) -> str:
    """A number with its noun.

    >>> counted(1, "post"), counted(2000, "post")
    ('1 post', '2,000 posts')
    """
    return f"{n:,} {what}{'s' * (n != 1)}"


def _policy(style: str, scripts: tuple[str, ...], live: bool) -> str:
    """The content security policy: only these scripts run, and only a live server is contacted."""
    allowed = " ".join(map(_digest, scripts))
    fetch = "'self'" if live else "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_digest(style)}; img-src data: blob:; "
        f"connect-src {fetch}; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _comment(text: str) -> str:
    return text.replace("--", "- -")
