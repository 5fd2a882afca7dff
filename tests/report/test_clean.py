"""Nothing in the text of strangers stays hidden."""

import pytest

from pitmanyor.report.clean import clean


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, \u00e9\u4e2d \u0627\u0644 \U0001f600", "plain text, \u00e9\u4e2d \u0627\u0644 \U0001f600"),
        ("a\u202eb", "a[U+202E]b"),
        ("a\u2066b\u2069", "a[U+2066]b[U+2069]"),
        ("a\x00b\x1b[0m", "a[U+0000]b[U+001B][0m"),
        ("two\r\nlines\u2028three", "two lines three"),
        ("half \ud800", "half [U+D800]"),
        ("<b>&amp;</b>", "<b>&amp;</b>"),  # a page sets text as text, so markup is shown as it is
    ],
)
def test_controls_become_visible(text, shown):
    assert clean(text) == shown
    clean(text).encode()
