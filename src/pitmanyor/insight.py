"""The former name of `pitmanyor.topics`, kept for those who import from it."""

from pitmanyor.topics import *  # noqa: F403
from pitmanyor.topics import __all__ as __all__
