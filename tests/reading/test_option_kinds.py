"""A value of the wrong kind, whatever option it is given to, is refused by a sentence."""

import pytest

from calling import call
from pitmanyor.errors import CorpusError, PitmanyorError
from pitmanyor.reading import read
from pitmanyor.reading.option_kinds import ROLES
from pitmanyor.reading.options import Options

NAN, INF = float("nan"), float("inf")
VALUES = [
    None, True, False, 0, -1, 1, 2**70, -(2**70), 1.5, NAN, INF, -INF, "", "no", "x\0y", "\ud800", [], [1], [None],
    [[1]], ["a"], {}, {"a": 1}, {"a": ["b"]}, {"a": [1]}, {"a": None}, {1: 2}, "x" * 300, [""], "a\nb", '"', "hex",
    "rot13", "idna", "undefined", b"utf-8", object(),
]  # fmt: skip
OTHERS = (*ROLES, "groups", "streams", "links")


@pytest.fixture(scope="module")
def posts(tmp_path_factory):
    path = tmp_path_factory.mktemp("kinds") / "posts.csv"
    path.write_text("text,author,time\nfresh bread oven,ann,2020-01-01\nnew car engine,bob,2020-01-02\n")
    return path


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*Options.__annotations__, *OTHERS])
def test_no_value_ends_in_a_traceback(posts, name):
    for value in VALUES:
        try:
            read(posts, **{name: value})
        except PitmanyorError as refused:
            assert str(refused)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoding": "utf-9"}, "encoding='utf-9': there is no such encoding of texts; try 'utf-8'"),
        ({"encoding": 1252}, "encoding=1252: there is no such encoding"),
        ({"max_df": NAN}, "max_df=nan: give a number of documents, or a share"),
        ({"min_df": INF}, "min_df=inf: give a number of documents, or a share"),
        ({"min_df": 2**70}, f"min_df={2**70}: give a number of documents"),
        ({"min_tokens": 2**70}, f"min_tokens={2**70}: give a whole number from 0 to 2,147,483,647"),
        ({"stop_words": 5}, "stop_words=5: give a language such as 'english', a list of words, or None"),
        ({"query": {"food": 1}}, "query={'food': 1}: give a list of terms, or a dict from labels to terms"),
        ({"text": 3}, "text=3: give the name of a column"),
        ({"groups": 3}, "groups=3: give a list of columns"),
        ({"streams": {"place": ["a"]}}, "streams= must name columns of .*, and .'a'. is not a name"),
    ],
)
def test_the_sentence_says_what_to_give(posts, options, said):
    with pytest.raises(CorpusError, match=said.replace("{", r"\{").replace("}", r"\}")):
        read(posts, **options)


def test_words_may_come_one_at_a_time(posts):
    assert "bread" not in read(posts, stop_words=iter(["bread"])).vocabulary


@pytest.mark.parametrize(
    "option",
    ["header=no", "max_df=NaN", "min_df=1e999", "encoding=5", "query=3", "stop_words=[1]", "text=3", "groups=1",
     "query=" + "[" * 100_000, "save_to=x", "source=x", "links=[1]", "vocabulary=[]"],
)  # fmt: skip
def test_the_command_line_refuses_them_too(posts, option):
    call("check", posts, "-O", option, code=3)


@pytest.mark.parametrize("name", ["x" * 300 + ".csv", "x" * 300 + "*.csv", "x\0.csv"])
def test_paths_that_no_system_takes(posts, name):
    with pytest.raises(CorpusError, match="there is no such file|no file matches"):
        read(name)
    with pytest.raises(CorpusError, match="there is no such file of links"):
        read(posts, links=name)
    if "\0" not in name:
        call("check", posts, "--links", name, code=3)
        call("check", name, code=3 if "*" in name else 4)
