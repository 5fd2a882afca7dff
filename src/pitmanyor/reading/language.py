"""Is a post in the wanted language? py3langid says, or langid, which the paper used."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import CorpusError

NO_LANGUAGE = re.compile(r"(?:https?://|www\.)\S+|[@#]\w+")


class InLanguage:
    """Addresses, mentions and hashtags say nothing about the language and are left out."""

    def __init__(self, language: str, package: str) -> None:
        try:
            module = import_module(package)
        except ImportError:
            raise CorpusError(
                f"language={language!r} needs the package {package}: pip install "
                + ("'pitmanyor[text]'" if package == "py3langid" else package)
            ) from None
        self.classify: Callable[[str], tuple[str, float]] = module.classify
        known = {code for code, _ in module.rank("")}
        if language not in known:
            raise CorpusError(f"language={language!r}: {package} knows {', '.join(sorted(known))}")
        self.language = language

    def __call__(self, texts: Sequence[str], ask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """True where a text is in the language, or was not asked about."""
        out = np.ones(len(texts), bool)
        for i in np.flatnonzero(ask).tolist():
            out[i] = self.classify(NO_LANGUAGE.sub(" ", texts[i]))[0] == self.language
        return out
