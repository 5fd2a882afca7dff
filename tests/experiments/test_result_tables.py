"""Tables, labels and figures from cells made up here."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_rel

from pitmanyor import Corpus
from pitmanyor.corpus import Grouping, LinkSet
from pitmanyor.experiments import plots as figures
from pitmanyor.experiments.home import Home
from pitmanyor.experiments.labels import best_cell, labels_csv, labels_markdown
from pitmanyor.experiments.legend import drift, rhat
from pitmanyor.experiments.plots import draw
from pitmanyor.experiments.result_tables import cells_csv, collect, to_csv, to_markdown
from pitmanyor.experiments.rows import rows_of
from pitmanyor.experiments.settings import Settings

CORPUS = Corpus.from_tokens({"word": [["a"], ["b"]], "hashtag": [[], ["t"]]}, groups={"author": ["ann", "bob"]})
VALUES = {"hdp_lda": [800.0, 820.0, 810.0], "atm": [650.0, 700.0], "tntm": [500.0, 521.0, 509.0]}


def cell(repeat, numbers, log_joint=(-8.0, -4.0, -2.0, -1.0), **more):
    return {"repeat": repeat, "seed": repeat + 1, "numbers": numbers, "trace": {"log_joint": list(log_joint)}} | more


@pytest.fixture
def table(tmp_path):
    home, settings = Home(tmp_path / "out"), Settings("fit")
    home.prepare(settings, CORPUS)
    for key, values in VALUES.items():
        for repeat, value in enumerate(values):
            home.write_cell(key, repeat, cell(repeat, {"perplexity": value, "topics": 7.0}))
    return collect(home, rows_of(settings, CORPUS), repeats=3)


def test_the_page_has_means_deviations_stars_and_what_is_missing(table):
    page = to_markdown(table, "about it")
    assert "| HDP-LDA | 810.0 ± 10.0 * | 7.0 ± 0.0 |" in page
    assert "| Nonparametric ATM | 675.0 ± 35.4 |" in page  # two pairs: p = 0.056
    assert "| Random function | n/a | n/a |" in page
    assert "| TNTM, no network | 510.0 ± 10.5 | 7.0 ± 0.0 |" in page
    assert "n/a: Random function: no links." in page
    assert "**Not finished**: Nonparametric ATM 2 of 3." in page
    assert "seeds 1 to 3" in page and "about it" in page
    assert "purity" not in page


def test_csv_has_every_number(table):
    lines = list(csv.DictReader(io.StringIO(to_csv(table))))
    hdp = next(line for line in lines if line["row"] == "hdp_lda" and line["measure"] == "perplexity")
    assert (float(hdp["mean"]), float(hdp["sd"]), int(hdp["n"])) == (810.0, 10.0, 3)
    assert 0 < float(hdp["p"]) < 0.01
    assert [line["missing"] for line in lines if line["row"] == "random_function"] == ["no links"]
    cells = list(csv.DictReader(io.StringIO(cells_csv(table))))
    found = [float(line["value"]) for line in cells if line["row"] == "atm" and line["measure"] == "perplexity"]
    assert found == VALUES["atm"]


def test_rows_are_compared_over_the_repeats_that_both_have(tmp_path):
    home, settings = Home(tmp_path / "out"), Settings("fit")
    home.prepare(settings, CORPUS)
    values = {"hdp_lda": {1: 700.0, 2: 640.0, 3: 655.0}, "atm": {0: 650.0, 2: 720.0}, "tntm": {0: 500, 1: 580, 2: 540}}
    for key, by_repeat in values.items():
        for repeat, value in by_repeat.items():
            home.write_cell(key, repeat, cell(repeat, {"perplexity": value}))
    lines = {line.row.key: line for line in collect(home, rows_of(settings, CORPUS), repeats=4).lines}
    for key, both in (("atm", (0, 2)), ("hdp_lda", (1, 2))):
        exact = ttest_rel([values[key][r] for r in both], [values["tntm"][r] for r in both]).pvalue
        assert lines[key].summaries["perplexity"].p == pytest.approx(exact, rel=1e-9)
        assert lines[key].summaries["perplexity"].n == len(values[key])


def test_drift_compares_the_last_two_quarters():
    assert drift([cell(0, {}, tokens=4)]) == pytest.approx(0.25)  # from -2 to -1, over 4 tokens
    assert drift([cell(0, {}, log_joint=[-5.0] * 8, tokens=4)]) == 0.0
    assert drift([]) is None and drift([cell(0, {}, tokens=0)]) is None


def test_rhat_is_over_the_repeats():
    noise = np.random.default_rng(1).normal(size=(3, 50))
    alike, apart = ([cell(r, {}, log_joint=noise[r] + r * step) for r in range(3)] for step in (0, 10))
    assert rhat(alike) < 1.2 < 1.5 < rhat(apart)
    assert rhat(alike[:1]) is None and rhat([cell(0, {}), cell(1, {})]) is None  # one, and four sweeps


def made(tmp_path, corpus, settings, facts, keys=None, repeats=1):
    home, rows = Home(tmp_path / "out"), rows_of(settings, corpus)
    home.prepare(settings, corpus)
    for row in rows:
        if row.missing is None and (keys is None or row.key in keys):
            for repeat in range(repeats):
                home.write_cell(row.key, repeat, facts(repeat))
    return collect(home, rows, repeats)


def test_the_legend_says_only_what_was_done(tmp_path, table):
    page = to_markdown(table, "")
    assert "10% of every author's posts are held out" in page and "pairs of authors" not in page
    assert "held_links" not in page and "network_topics" not in page and ", test 0.1" in page
    assert "sample text alone" not in page
    assert "topics 0, words 0 (*HDP-LDA*); topics 0, words 0.5 (*Nonparametric ATM*, *TNTM, no network*)" in page
    linked = replace(CORPUS, links={"follows": LinkSet.from_pairs([("ann", "bob")])})
    page = to_markdown(made(tmp_path / "linked", linked, Settings("fit"), lambda r: cell(r, {"perplexity": 1.0})), "")
    assert "and 10% of the pairs of authors are held out" in page and "network_topics 20" in page
    assert "text alone for 250 sweeps and both for 250. *Random function* samples the network in all 500" in page


def test_clusters_have_no_split_and_notes_are_told_once(tmp_path):
    labelled = replace(CORPUS, groups={"label": Grouping(("x", "y"), np.array([0, 1], np.int32))})
    settings = Settings("clustering", max_topics=7)
    facts = {"notes": ["one of 2 posts has no label"]}
    page = to_markdown(made(tmp_path, labelled, settings, lambda r: cell(r, {"nmi": 0.5}, **facts)), "")
    assert "held out" not in page and ", test 0.1" not in page and "held_links" not in page
    assert page.count("One of 2 posts has no label.") == 1 and "max_topics 7" in page


def test_the_grey_line_of_the_figure_is_the_reference(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(figures, "_panel", lambda panel, column, lines, reference: seen.append(reference))
    values = made(tmp_path, CORPUS, Settings("fit"), lambda r: cell(r, {"perplexity": 2.0}), ["hdp_lda", "atm"])
    draw(values)
    assert seen == [None]  # the TNTM is not finished, and no other row stands in for it


def test_numbers_of_a_scale_do_not_run_into_each_other(tmp_path, monkeypatch):
    panels, plain = [], figures._panel
    monkeypatch.setattr(figures, "_panel", lambda panel, *more: (panels.append(panel), plain(panel, *more)))
    home, settings = Home(tmp_path / "out"), Settings("fit")
    home.prepare(settings, CORPUS)
    for key, value in (("hdp_lda", -7210.9), ("atm", -7230.1), ("tntm", -10663.5)):
        numbers = dict.fromkeys(("perplexity", "perplexity_word", "network_log_likelihood"), value)  # side by side
        home.write_cell(key, 0, cell(0, numbers))
    draw(collect(home, rows_of(settings, CORPUS), repeats=1))
    assert len(panels) == 3
    for panel in panels:
        low, high = panel.get_xlim()
        boxes = [t.label1.get_window_extent() for t in panel.xaxis.get_major_ticks() if low <= t.get_loc() <= high]
        assert len(boxes) > 1
        assert all(left.x1 < right.x0 for left, right in zip(boxes, boxes[1:], strict=False))


def test_no_large_topic_is_said():
    assert labels_markdown(cell(0, {}, labels=[])).startswith("No topic of seed 1 is large")


def test_the_figure_is_a_picture_and_the_same_every_time(table):
    picture = draw(table)
    assert picture.startswith(b"\x89PNG") and picture == draw(table)


def test_labels_are_of_the_best_chain(tmp_path):
    home, settings = Home(tmp_path / "out"), Settings("labels")
    home.prepare(settings, CORPUS)
    for repeat, last in enumerate((-5.0, -2.0)):
        topics = [{"share": 0.75, "hashtags": [f"tag{repeat}"], "words": ["a", "b"]}]
        home.write_cell("tntm", repeat, cell(repeat, {"npmi": 0.1}, log_joint=(-9.0, last), labels=topics))
    best = best_cell(collect(home, rows_of(settings, CORPUS), repeats=2))
    assert "| 75.0% | tag1 | a, b |" in labels_markdown(best) and "seed 2" in labels_markdown(best)
    assert labels_csv(best).splitlines()[1] == "0,0.75,tag1,a b"
