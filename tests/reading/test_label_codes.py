"""One label per document: several are refused, placeholders are missing, and both are said."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from pitmanyor.errors import CorpusError, ReadWarning
from pitmanyor.reading import read
from pitmanyor.reading.label_codes import Labels


def posts(*authors):
    return [{"text": f"bread oven {'abcdefg'[i]}{i}", "author": author} for i, author in enumerate(authors)]


@pytest.mark.parametrize(
    "several", [["Ann", "Bob"], ("Ann", "Bob"), "['Ann', 'Bob']", '["Ann","Bob"]', {"name": "Ann"}]
)
def test_several_authors_of_a_post_are_refused_with_their_place(several):
    rows = posts("Cy", several)
    with pytest.raises(CorpusError, match=r"line 2, column 'author' for author: .*Ann.* where one label is expected"):
        read(rows, author="author")


def test_several_authors_in_a_file_and_in_a_frame(tmp_path):
    path = tmp_path / "posts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in posts("Cy", ["Ann", "Bob"])))
    with pytest.raises(CorpusError, match=re.escape(f"{path}, line 2, column 'author'")):
        read(path, author="author")
    frame = pd.DataFrame({"text": ["bread oven", "stars"], "author": ["Cy", np.array(["Ann", "Bob"])]})
    with pytest.raises(CorpusError, match="where one label is expected"):
        read(frame, author="author")


def test_several_authors_in_a_column_that_was_guessed_are_refused_too():
    with pytest.raises(CorpusError, match=r"line 2, column 'author' for author: .*author=False"):
        read(posts("Cy", ["Ann", "Bob"]))
    with pytest.raises(CorpusError, match="where one label is expected"):
        read(posts("Cy", [{"name": "Ann"}]))
    assert read(posts("Cy", ["Ann"])).groups["author"].labels == ("Cy", "Ann")
    assert "author" not in read(posts("Cy", ["Ann", "Bob"]), author=False).groups


def test_members_of_a_club_and_when_they_posted_are_guessed():
    corpus = read([{"member": "Ann", "posted": "2024-05-01", "message": "bread oven flour"}] * 2, duplicates="keep")
    assert corpus.groups["author"].labels == ("Ann",) and corpus.times is not None


def test_a_list_of_one_author_is_that_author_and_an_empty_one_is_missing():
    assert read(posts("Cy", ["Ann"], []), author="author").groups["author"].labels == ("Cy", "Ann")


def test_names_with_brackets_are_names():
    assert read(posts("[Ann]", "['Ann']", "Ann, Bob")).groups["author"].labels == ("[Ann]", "['Ann']", "Ann, Bob")


def test_placeholders_are_no_authors_and_no_groups():
    rows = posts("ann", "NaN", "null", "[deleted]", "NaN", " nan ")
    for row, party in zip(rows, ["left", "N/A", "left", "left", "left", "left"], strict=True):
        row["party"] = party
    corpus = read(rows, groups=["party"], missing_author="keep")
    assert corpus.groups["author"].labels == ("ann", "(unknown)")
    assert corpus.groups["party"].labels == ("left", "(unknown)")
    said = str(corpus.report)
    assert "author: 2 values 'NaN' taken for a missing label" in said and "party: 1 value 'N/A'" in said
    assert read(rows, missing_values=[]).groups["author"].labels == ("ann", "NaN", "null", "[deleted]", "nan")


def test_placeholders_are_no_texts():
    rows = [
        {"text": text, "author": "ann"} for text in ("bread oven", "[deleted]", "[removed]", "NaN", "[deleted] oven")
    ]
    corpus = read(rows)
    assert corpus.n_documents == 2
    assert [(one.name, one.documents) for one in corpus.report.filters if one.documents] == [("placeholders", 3)]


def test_repeated_posts_are_said_and_many_are_a_warning(recwarn):
    rows = [{"text": f"bread {'ab' * (i + 1)}", "author": "ann"} for i in range(300)]
    assert "earlier post" not in str(read(rows, stop_words=None).report)
    few = read([*rows, rows[0]], stop_words=None)
    assert "1 of 301 posts have the author and text of an earlier post; remove them with duplicates='drop'" in str(
        few.report
    )
    assert not recwarn
    with pytest.warns(ReadWarning, match="20 of 320 posts have the author and text of an earlier post"):
        assert read([*rows, *rows[:20]], stop_words=None).n_documents == 320
    assert "earlier post;" not in str(read([*rows, *rows[:20]], stop_words=None, duplicates="keep").report)


def test_codes_count_placeholders_in_every_chunk():
    labels = Labels(["null"])
    assert labels.encode(["a", "null"]).tolist() == [0, -1] and labels.encode(["null", 2.0]).tolist() == [-1, 1]
    assert labels.placeholders == {"null": 2} and list(labels.codes) == ["a", "2"]
