"""What a report keeps of the options, so that later documents are read alike."""

import pytest

from pitmanyor.errors import CorpusError
from pitmanyor.reading import read

POSTS = [{"body": "oven bread", "who": "ann", "day": "1"}, {"body": "stars", "who": "bob", "day": "2"}]


def test_columns_and_options_of_text_are_kept_and_filters_are_not():
    corpus = read(POSTS, text="body", author="who", groups=["day"], stop_words={"b", "a"}, min_df=1, min_length=3)
    kept = {"text": "body", "author": "who", "groups": ["day"], "stop_words": ["a", "b"], "min_length": 3}
    assert corpus.report.options == kept
    assert read(POSTS, **kept).content_hash == corpus.content_hash


@pytest.mark.parametrize("given", [{}, {"author": ["ann", "bob"]}])
def test_values_are_not_kept(given):
    assert read(["oven bread", "stars"], **given).report.options == {}


def test_that_there_was_a_tokeniser_function_is_kept_so_that_no_other_reads_on():
    said = read(["oven bread", "stars"], tokeniser=str.split).report.options
    assert said == {"tokeniser": None}
    with pytest.raises(CorpusError, match="say tokeniser= again, or give lists of tokens"):
        read(["oven"], **said)


def test_that_there_are_no_stop_words_is_kept():
    assert read(["oven bread"], stop_words=None, tags=False).report.options == {"stop_words": None, "tags": False}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"numbers": "False"}, "numbers='False': give True or False"),
        ({"header": "no"}, "header='no': give True or False"),
        ({"min_df": "five"}, "min_df='five': give a number of documents, or a share"),
        ({"max_df": 1.5}, "max_df=1.5: give a number of documents, or a share"),
        ({"min_tokens": "2"}, "min_tokens='2': give a whole number from"),
        ({"min_length": True}, "min_length=True: give a whole number from"),
        ({"missing_values": "NaN"}, "missing_values='NaN': give a list of texts"),
    ],
)
def test_values_of_the_wrong_kind_are_refused(options, said):
    with pytest.raises(CorpusError, match=said):
        read(["oven bread"], **options)
