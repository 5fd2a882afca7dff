"""The directory of an experiment: what it refuses, and what a second start finds."""

import pytest

from pitmanyor import Corpus, FileError, PlanError
from pitmanyor.experiments.home import Home
from pitmanyor.experiments.settings import Settings

CORPUS = Corpus.from_tokens({"word": [["a"], ["b"]], "hashtag": [[], ["t"]]})


@pytest.fixture
def home(tmp_path):
    made = Home(tmp_path / "out")
    made.prepare(Settings("fit"), CORPUS)
    return made


def test_settings_and_corpus_come_back(home):
    assert home.settings() == Settings("fit") and home.corpus().content_hash == CORPUS.content_hash
    home.prepare(Settings("fit"), CORPUS)  # the same again is welcome


def test_other_settings_and_other_posts_are_refused(home):
    with pytest.raises(FileError, match="sweeps 500 instead of 400"):
        home.prepare(Settings("fit", sweeps=400), CORPUS)
    with pytest.raises(FileError, match="'fit' instead of 'labels'"):
        home.prepare(Settings("labels"), CORPUS)
    with pytest.raises(FileError, match="another corpus"):
        home.prepare(Settings("fit"), CORPUS.subset([0]))


def test_a_place_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FileError, match="already exists, and is not an experiment"):
        Home(tmp_path).prepare(Settings("fit"), CORPUS)


def test_a_start_that_was_killed_can_be_made_again(home):
    (home.path / "experiment.json").unlink()  # it is written last
    (home.path / ".experiment.json.7-00.part").write_text("{")
    home.prepare(Settings("fit", sweeps=40), CORPUS)
    assert home.settings().sweeps == 40


def test_cells(home):
    assert home.read_cells("tntm", 3) == []
    home.write_cell("tntm", 1, {"repeat": 1})
    assert home.is_done("tntm", 1) and not home.is_done("tntm", 0)
    assert home.read_cells("tntm", 3) == [{"repeat": 1}]
    home.cell_path("tntm", 2).write_text("{")
    with pytest.raises(FileError, match=r"tntm-2.json.*computed again"):
        home.read_cells("tntm", 3)


@pytest.mark.parametrize("wrong", [{"sweeps": 3}, {"keep": 200}, {"test": 1.0}, {"held_links": -0.1}, {"seed": -1}])
def test_settings_that_make_no_sense(wrong):
    with pytest.raises(PlanError):
        Settings("fit", **wrong)
    with pytest.raises(PlanError, match="fit, ablation, clustering"):
        Settings("fits")
