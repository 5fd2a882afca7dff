"""The examples of docs/use.md run as they stand."""

import re
from pathlib import Path

from fitted import blog, microblog, named  # noqa: F401

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "use.md"


def test_the_examples_of_the_guide_run(named):  # noqa: F811
    who = str(named.corpus.groups["author"].labels[0])
    for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL):
        exec(compile(block.replace('"ann"', repr(who)), str(GUIDE), "exec"), {"result": named})
