"""Sphinx's configuration. `make docs` builds the site in build/docs, offline, and stops at the first warning."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

from pitmanyor import __version__  # noqa: E402

project = "pitmanyor"
author = "The pitmanyor developers"
copyright = "The pitmanyor developers"  # noqa: A001
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    *(["sphinx-mathjax-offline"] if find_spec("sphinx-mathjax-offline") else []),  # otherwise formulas need a network
    "sphinx.ext.napoleon",
    "graph_directive",
    "cli_directive",
    "root_file_directive",
]
exclude_patterns = ["_ext"]

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # pages that are included begin with a heading of their own

# `name` in a docstring is a reference if there is something of that name, and code otherwise.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "description"  # types of parameters are shown in signatures only
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"pitmanyor {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
