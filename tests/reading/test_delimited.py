"""CSV and its cousins: delimiters, quoting, bad lines by their number."""

import csv
import io
import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitmanyor.errors import CorpusError, PitmanyorError, ReadWarning
from pitmanyor.reading import read
from pitmanyor.reading.badlines import BadLines
from pitmanyor.reading.delimited import LONGEST_FIELD, open_delimited
from pitmanyor.reading.options import FileOptions


def write(tmp_path, text, name="x.csv"):
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def rows(path, **options):
    table = open_delimited(path, FileOptions(**options), BadLines(str(path), options.get("skip_bad_lines", False)))
    chunks = [(c.lines.tolist(), zip(*c.columns.values(), strict=True)) for c in table.chunks(table.columns)]
    return table.columns, [(line, row) for lines, rows in chunks for line, row in zip(lines, rows, strict=True)]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|", "^", "~"])
def test_delimiters_are_found(tmp_path, delimiter):
    text = f"id{delimiter}text\n1{delimiter}one, two; three\n2{delimiter}four five\n"
    if delimiter in ",;":
        text = f'id{delimiter}text\n1{delimiter}"one, two; three"\n2{delimiter}four five\n'
    expected = [(2, ("1", "one, two; three")), (3, ("2", "four five"))]
    assert rows(write(tmp_path, text)) == (["id", "text"], expected)


def test_any_other_delimiter_can_be_named(tmp_path):
    path = write(tmp_path, "id:text\n1:a b\n", "x.data")
    assert rows(path, delimiter=":")[1] == [(2, ("1", "a b"))]
    assert read(path, delimiter=":", min_length=1, stop_words=None).vocabulary == ("a", "b")
    with pytest.raises(CorpusError, match="delimiter='::': the delimiter must be one character"):
        read(path, delimiter="::")


def test_quoted_line_breaks_and_the_line_a_record_begins_on(tmp_path):
    path = write(tmp_path, 'text,author\r\n"one\r\ntwo ""quoted""\r\nthree",ann\r\n\r\nfour,bob\r\n')
    assert rows(path)[1] == [(2, ('one\r\ntwo "quoted"\r\nthree', "ann")), (6, ("four", "bob"))]


def test_a_file_without_a_header(tmp_path):
    assert rows(write(tmp_path, "1,a b\n2,c d\n"), header=False) == (
        ["column1", "column2"],
        [(1, ("1", "a b")), (2, ("2", "c d"))],
    )


def test_a_column_that_comes_twice_is_renamed_and_told(tmp_path):
    path = write(tmp_path, "text,x,x\none two,3,4\n")
    with pytest.warns(ReadWarning, match="line 1: column 'x' comes again; the later one is called 'x_2' here"):
        assert read(path, groups=["x_2"]).groups["x_2"].labels == ("4",)


BAD = 'text,author\nfine words,ann\ntoo,many,fields\nshort\n"closed"wrong,ann\nmore words,bob\n'


def test_the_first_bad_line_is_an_error_that_names_it(tmp_path):
    path = write(tmp_path, BAD)
    said = f"{path}, line 3: 3 fields where the first line has 2; a text that holds ',' must be quoted. Fix the line"
    with pytest.raises(CorpusError, match=re.escape(said)) as refused:
        read(path)
    assert "skip_bad_lines=True" in str(refused.value)


def test_bad_lines_are_skipped_counted_and_listed(tmp_path):
    corpus = read(write(tmp_path, BAD), skip_bad_lines=True)
    assert corpus.rows.tolist() == [2, 6]
    assert corpus.report.n_bad_lines == 3
    assert [bad.line for bad in corpus.report.bad_lines] == [3, 4, 5]
    assert "quotes in it be doubled" in corpus.report.bad_lines[2].why
    assert "skipped 3 bad lines" in str(corpus.describe())


def test_only_the_first_bad_lines_are_listed(tmp_path):
    corpus = read(write(tmp_path, "text,author\nfine words,ann\n" + "bad\n" * 50), skip_bad_lines=True)
    assert (corpus.report.n_bad_lines, len(corpus.report.bad_lines)) == (50, 20)
    assert "and 30 more" in str(corpus.report)


def test_lines_that_an_open_quotation_mark_swallows_are_told(tmp_path):
    text = 'text,author\nfine words,ann\n"never closed,bob\nmore words,cy\nother words,dan\n'
    corpus = read(write(tmp_path, text), skip_bad_lines=True)
    assert corpus.n_documents == 1
    assert "line 3: a quotation mark opens a field here and is never closed; lines 3 to 5 are lost with it" in str(
        corpus.report
    )


def test_long_texts_are_read(tmp_path):
    """Longer than the 131,072 characters that Python's parser takes by itself, also where the delimiter is guessed."""
    corpus = read(write(tmp_path, f'text;author\n"{"long; " * 100_000}";ann\nshort one;bob\n'), stop_words=None)
    assert (corpus.n_documents, corpus.streams["word"].words.size) == (2, 100_002)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'text,author\nfine,ann\n"never closed,bob\nmore,cy\n',
            "line 3: a quotation mark opens a field here",
        ),
        pytest.param(
            'text,author\nfine,ann\n"' + "long " * (LONGEST_FIELD // 5 + 1),
            "line 3: a field of more than 16,777,216 characters: a quotation mark is probably never closed",
            id="too long",
        ),
        ("text,author\n", "contains no posts"),
        ("\n\n", "the file is empty"),
    ],
)
def test_refusals(tmp_path, text, message):
    with pytest.raises(CorpusError, match=re.escape(message)):
        read(write(tmp_path, text))


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@settings(max_examples=80)
@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=6),
    st.sampled_from(",;\t|"),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)
def test_whatever_csv_writes_is_read(tmp_path_factory, table, delimiter, quoting):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting)
    writer.writerows([("text", "author", "x"), *table])
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    path.write_bytes(out.getvalue().encode())
    found = rows(path, delimiter=delimiter, encoding="utf-8")[1]
    assert [row for _, row in found] == table


@settings(max_examples=150)
@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_give_a_corpus_or_an_error_of_ours(tmp_path_factory, content, skip):
    path = tmp_path_factory.mktemp("bytes") / "x.csv"
    path.write_bytes(b"text,author\n" + content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadWarning)
        try:
            read(path, skip_bad_lines=skip)
        except PitmanyorError as error:
            assert str(path) in str(error) or "nothing is left" in str(error)


def test_quotation_marks_may_be_ordinary_characters(tmp_path):
    """A TSV file without quoting: the error says what to do, and the option does it."""
    path = write(tmp_path, 'text\tauthor\nhe said "bread\tann\n"oven" is hot\tbob\n"stars\tann\n', "x.tsv")
    with pytest.raises(
        CorpusError, match="if quotation marks are ordinary characters in this file, pass quoting=False"
    ):
        read(path)
    corpus = read(path, quoting=False)
    assert corpus.rows.tolist() == [2, 3, 4] and {"bread", "oven", "stars"} <= set(corpus.vocabulary)
