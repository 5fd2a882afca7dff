"""Tables, labels and figures from cells made up here."""

import csv
import io

import pytest

from pitmanyor import Corpus
from pitmanyor.experiments.figures import draw
from pitmanyor.experiments.home import Home
from pitmanyor.experiments.labels import best_cell, labels_csv, labels_markdown
from pitmanyor.experiments.rows import rows_of
from pitmanyor.experiments.settings import Settings
from pitmanyor.experiments.tables import cells_csv, collect, drift, to_csv, to_markdown

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


def test_drift_compares_the_last_two_quarters():
    assert drift([cell(0, {})]) == pytest.approx(100.0)  # from -2 to -1
    assert drift([cell(0, {}, log_joint=[-5.0] * 8)]) == 0.0
    assert drift([]) is None


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
