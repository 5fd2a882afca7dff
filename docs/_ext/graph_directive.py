"""The directive `graph`: Python that declares a graph, shown with the picture of the graph that its last line is."""

from __future__ import annotations

import ast
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx


def last_value(code: str) -> Any:
    """Run the code and return the value of its last line, which must be an expression.

    >>> last_value("a = 2\\na + 1")
    3
    """
    tree = ast.parse(code)
    last = tree.body.pop()
    if not isinstance(last, ast.Expr):
        raise SyntaxError(f"the last line of a graph block must be an expression: {ast.unparse(last)}")
    names: dict[str, Any] = {}
    exec(compile(tree, "<graph>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<graph>", "eval"), names)


class GraphDirective(Directive):
    has_content = True

    def run(self) -> list[nodes.Node]:
        code = "\n".join(self.content)
        source = nodes.literal_block(code, code, language="python")
        picture = nodes.raw("", f'<figure class="graph">{last_value(code).to_svg()}</figure>', format="html")
        return [source, picture]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("graph", GraphDirective)
    return {"parallel_read_safe": True}
