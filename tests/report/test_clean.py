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
        ("a\u00adb\u061cc\u200ed\u200fe", "a[U+00AD]b[U+061C]c[U+200E]d[U+200F]e"),
        ("a\u2060b\ufeffc\u3164d\ufffee\uffff", "a[U+2060]b[U+FEFF]c[U+3164]d[U+FFFE]e[U+FFFF]"),
        ("tag\U000e0041", "tag[U+E0041]"),
        (
            "\u0915\u200d\u0937 \U0001f468\u200d\U0001f469 \u0645\u200c\u06cc",
            "\u0915\u200d\u0937 \U0001f468\u200d\U0001f469 \u0645\u200c\u06cc",
        ),
        ("half \ud800", "half [U+D800]"),
        ("<b>&amp;</b>", "<b>&amp;</b>"),  # a page sets text as text, so markup is shown as it is
    ],
)
def test_controls_become_visible(text, shown):
    assert clean(text) == shown
    clean(text).encode()
