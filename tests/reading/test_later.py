"""Posts that come after a corpus: read as those were, with whatever columns they have."""

import warnings

import pytest

from pitmanyor import CorpusError, ReadWarning, read
from pitmanyor.reading.later import read_later

ROWS = {
    "words": ["Big goal #sport", "Fresh bread #food", "Goal again #sport"],
    "who": ["ann", "bob", "ann"],
    "topic_tags": ["win", "oven", "win"],
    "when": ["2026-01-01", "2026-01-02", "2026-01-02"],
    "where": ["here", "there", "here"],
}
NAMED = {"text": "words", "author": "who", "tags": "topic_tags", "time": "when", "groups": ["day", "where"]}


def written(path, *columns):
    lines = [",".join(columns), *(",".join(row) for row in zip(*(ROWS[c] for c in columns), strict=True))]
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def before(tmp_path):
    return read(str(written(tmp_path / "before.csv", *ROWS)), **NAMED)


def test_all_columns_are_read_as_before(tmp_path, before):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = read_later(written(tmp_path / "later.csv", *ROWS), before, {})
    assert found.content_hash == before.content_hash and set(found.groups) == {"author", "day", "where"}


def test_what_has_no_column_is_not_known_and_told(tmp_path, before):
    later = written(tmp_path / "later.csv", "words", "when")
    with pytest.warns(ReadWarning) as told:
        found = read_later(later, before, {})
    said = [str(one.message) for one in told]
    assert [text.split("no column ")[1].split(", which")[0] for text in said] == [
        "'who' for author", "'topic_tags' for tags", "'where' for where",
    ]  # fmt: skip
    assert all(text.startswith(str(later)) for text in said)
    assert set(found.groups) == {"day"} and found.n_documents == 3
    tags = {found.vocabulary[w] for w in found.streams["hashtag"].words}
    assert tags == {"sport", "food"}  # those of the text, for there is no column


def test_times_are_missed_only_where_groups_are_made_of_them(tmp_path, before):
    with pytest.warns(ReadWarning, match="no column 'day' for day") as told:
        found = read_later(written(tmp_path / "later.csv", "words", "who", "topic_tags", "where"), before, {})
    assert len(told) == 1 and set(found.groups) == {"author", "where"} and found.times is None


def test_columns_that_are_asked_for_here_must_be_here(tmp_path, before):
    later = written(tmp_path / "later.csv", "words", "who")
    with pytest.raises(CorpusError, match="no column 'writer' for author="), pytest.warns(ReadWarning):
        read_later(later, before, {"author": "writer"})
    other = tmp_path / "other.csv"
    other.write_text(later.read_text().replace("who", "writer"))
    with pytest.warns(ReadWarning) as told:
        found = read_later(other, before, {"author": "writer"})
    assert found.groups["author"].labels == ("ann", "bob") and not any("author" in str(one.message) for one in told)
