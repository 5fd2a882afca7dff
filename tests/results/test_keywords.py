"""A keyword that `fit` does not have is answered with the one to write."""

import inspect
import re
from dataclasses import fields

import pytest

from pitmanyor import Corpus, Network, PlanError, Sampler, Start, fit, models, resume
from pitmanyor.cli.app import fit as fit_command

CORPUS = Corpus.from_tokens([["a", "b"], ["c", "d"]] * 5)
pytestmark = pytest.mark.nojit


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"n_topics": 20},
            "'n_topics': The number of topics is part of the model or inferred from the data: for a fixed",
        ),
        ({"num_topics": 7}, "fit models.lda(7), for an upper bound pass max_topics=7"),
        ({"samples": 5}, "'samples': it is called keep"),
        ({"checkpoint": "run"}, "'checkpoint': it is called save_to"),
        ({"checkpoint_every": 5}, "it is called save_every"),
        ({"initial_topics": 5}, "pass start=Start(topics=5)"),
        ({"chain": 2}, "pass start=Start(chain=2)"),
        ({"sweep": "collapsed"}, "pass sampler=Sampler(kind='collapsed')"),
        ({"moves": False}, "pass sampler=Sampler(moves=False)"),
        ({"text_sweeps": 9}, "pass network=Network(text_sweeps=9)"),
        ({"model": None}, "'model': it is called graph"),
        ({"author": "who"}, "data are read before they are fitted: fit(graph, read(source, author='who'))"),
        ({"min_df": 5}, "fit(graph, read(source, min_df=5))"),
        ({"random_state": 3}, "it is called seed"),
        ({"swepes": 3}, "'swepes': did you mean sweeps?"),
        ({"sample": 3}, "'sample': it is called keep"),
        ({"quux": 3}, "'quux': it takes graph, corpus, sweeps, seed, chains, keep"),
    ],
)
def test_the_answer_says_what_to_write(given, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        fit(models.hpyp(), CORPUS, **given)


def test_a_run_keeps_what_it_was_asked_for(tmp_path):
    with pytest.raises(TypeError, match="resume has no keyword 'keep': the run keeps what its fit was asked for"):
        resume(tmp_path, keep=3)
    with pytest.raises(TypeError, match="it is called save_every"):
        resume(tmp_path, checkpoint_every=3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sampler(kind="fast"), "kind must be one of mixed, collapsed, explicit, not 'fast'"),
        (lambda: Sampler(rule="never"), "rule must be one of clamp, paper, singleton, not 'never'"),
        (lambda: Sampler(anchors=0.0), "anchors must be a share of the documents, above 0 and at most 1, not 0.0"),
        (lambda: Sampler(passes=0), "passes must be a whole number, 1 or more, not 0"),
        (lambda: Sampler(moves=None), "moves must be True or False, not None"),
        (lambda: Sampler(collapsed_first=-1), "collapsed_first must be a whole number, 0 or more, not -1"),
        (lambda: Start(topics=-1), "topics must be a whole number, 0 or more, not -1"),
        (lambda: Start(chain=0.5), "chain must be a whole number, 0 or more, not 0.5"),
        (lambda: Network(method="guess"), "method must be one of exact, paper, not 'guess'"),
        (lambda: Network(n_topics=1), "n_topics must be a whole number, 2 or more, not 1"),
        (lambda: Network(text_sweeps=-1), "text_sweeps must be a whole number, 0 or more, not -1"),
    ],
)
def test_groups_of_options_are_checked_when_they_are_made(make, message):
    with pytest.raises(PlanError, match=re.escape(message)):
        make()


def test_python_and_the_command_line_share_names_and_defaults():
    """But for times and progress, which are words there, and the directory, which a command must have."""
    ours = {name: one.default for name, one in inspect.signature(fit).parameters.items()}
    theirs = {name: one.default for name, one in inspect.signature(fit_command).parameters.items()}
    names = ["sweeps", "seed", "chains", "keep", "burn_in", "max_topics", "threads", "preset"]
    assert {name: theirs[name] for name in names} == {name: ours[name] for name in names}
    assert ours["sweeps"] == 500 and ours["keep"] == 20 and ours["seed"] == 0
    assert (theirs["save_every"], ours["save_every"]) == ("5m", 300.0)
    for group in (Sampler(), Start(), Network()):
        for field in fields(group):
            name = {"kind": "sampler", "topics": "start_topics"}.get(field.name, field.name)
            if name in theirs:
                assert theirs[name] == getattr(group, field.name)
    assert {"sampler", "moves", "start_topics", "text_sweeps", "spare_topics", "n_topics", "method"} <= set(theirs)
