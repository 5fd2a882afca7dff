"""The examples of docs/network.md run as they stand, and its ablations are those that the models' own test has."""

import re
from pathlib import Path

from fitted import blog, joined, microblog  # noqa: F401

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "network.md"


def test_the_examples_of_the_guide_run(joined):  # noqa: F811
    ann, bob = map(repr, joined.axes("nu")["author"][:2])
    names = {"result": joined}
    for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL):
        exec(compile(block.replace('"ann"', ann).replace('"bob"', bob), str(GUIDE), "exec"), names)
    ablations = [names[name] for name in ("no_author", "no_hashtag", "no_mu1", "unconnected", "no_power_law")]
    assert len({graph.validate() or repr(graph) for graph in (*ablations, names["no_network"], names["whole"])}) == 7
    assert [item.kernel for item in names["alone"].link_sets] == ["pair"]
    assert len(names["held"].pairs) > 0
