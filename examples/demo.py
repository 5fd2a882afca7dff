"""From a file of posts to a saved run, a table of topics and a report: the way of a user, on a SIMULATED microblog.

Six themes are planted; authors like some of them, and tag their posts. The model sees words, hashtags and authors:
neither the themes nor how many there are. The same from the command line: `pitmanyor demo OUT`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table

from pitmanyor import Fit, fit, load, models, read, simulate_microblog, write_report

SWEEPS = 3_000


def main(home: Path) -> None:
    console = Console()
    started = perf_counter()
    posts, follows = simulate_microblog(posts=2000, authors=60, seed=1).write(home)
    corpus = read(posts, links=follows, min_df=2)
    console.print(f"[bold]Simulated[/] posts in {posts}:\n\n{corpus.describe()}", highlight=False)
    console.print("\nFitting models.author_topic(hashtags=True).")
    graph = models.author_topic(hashtags=True)
    run = home / "run"
    fit(graph, corpus, sweeps=SWEEPS, seed=1, save_to=run)
    result = load(run)  # as it would be tomorrow
    page = write_report(result, home / "report.html")
    console.print(topic_table(result))
    console.print(
        f"{result!r}\nAll of it took {perf_counter() - started:.1f} s, compilation included. "
        f"The run is in {run}; try: pitmanyor topics {run}",
        highlight=False,
    )
    console.print(f"\nThe report, a page to be opened in any browser: {page}", highlight=False, soft_wrap=True)


def topic_table(result: Fit) -> Table:
    """Topics by their share of the tokens, with words and hashtags."""
    shares, least = result.topic_shares(), result.topic_count().least
    words, hashtags = result.topics(8), result.topics(5, stream="hashtag")
    table = Table(
        "share", "likeliest words", "likeliest hashtags", title="Topics found by models.author_topic(hashtags=True)"
    )
    for k in (k for k in np.argsort(-shares) if shares[k] >= least):
        lists = (", ".join(word for word, _ in topic) for topic in (words[k], hashtags[k]))
        table.add_row(f"{shares[k]:.1%}", *lists)
    table.caption = str(result.topic_count())
    return table


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="pitmanyor-demo-")))
