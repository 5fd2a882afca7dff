"""The README's example runs as it stands."""

import re
from pathlib import Path

import numpy as np

README = Path(__file__).resolve().parents[1] / "README.md"


def test_the_examples_of_the_readme_run():
    first, *others = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    names: dict = {}
    exec(compile(first, str(README), "exec"), names)
    result = names["result"]
    assert result.n_sweeps == 200 and result.n_topics >= 1
    assert np.isfinite(result.trace["log_joint"]).all()
    assert result.mean("nu", new_topic="renormalise").shape == (2, result.n_topics)
    for other in others:
        exec(compile("from pitmanyor import models\n" + other, str(README), "exec"), {})
