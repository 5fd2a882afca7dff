"""Ready models. Each file has one graph and its generative process."""

from pitmanyor.models.author_blocks import author_blocks
from pitmanyor.models.author_topic import author_topic
from pitmanyor.models.author_traits import author_traits
from pitmanyor.models.bursty import bursty
from pitmanyor.models.hdp_lda import hdp_lda
from pitmanyor.models.hpyp import hpyp
from pitmanyor.models.lda import lda
from pitmanyor.models.tntm import tntm

__all__ = ["author_blocks", "author_topic", "author_traits", "bursty", "hdp_lda", "hpyp", "lda", "tntm"]
