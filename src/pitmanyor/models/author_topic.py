"""A nonparametric author-topic model: every author has topic proportions, and documents scatter around them.

    mu      ~ GEM(a_mu, b_mu)                   topics of the world
    nu_i    ~ PYP(a_nu, b_nu, mu)               topics of author i
    theta_d ~ PYP(a_theta, b_theta, nu_{a_d})   topics of document d, whose author is a_d
    gamma   ~ PYP(a_gamma, b_gamma, uniform)    how common each word is
    phi_k   ~ PYP(a_phi, b_phi, gamma)          words of topic k
    z_dn    ~ Discrete(theta_d)                 the topic of token n
    w_dn    ~ Discrete(phi_{z_dn})              the word itself

Rosen-Zvi et al. (2004) fix the number of topics and draw tokens straight from an author. Here both are learned, and a
document may stray from its author. Any grouping will do: `author_topic().set("nu", plate="day")`.
"""

from __future__ import annotations

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import GraphError
from pitmanyor.graph import Beta, Gamma, Graph, uniform
from pitmanyor.graph.topic_numbers import IN_MODELS
from pitmanyor.graph.values import PRIOR, TOPIC_DISCOUNT, WORD_DISCOUNT


@checked_call(error=GraphError, hints=IN_MODELS)
def author_topic(
    *,
    hashtags: bool = False,
    topic_discount: float | Beta = TOPIC_DISCOUNT,
    word_discount: float | Beta = WORD_DISCOUNT,
    concentration: float | Gamma = PRIOR,
) -> Graph:
    """Topic proportions per author and per document. The corpus needs a grouping "author".

    Parameters
    ----------
    hashtags
        Whether a stream "hashtag" shares the topics of the words, with its own distribution over tags for each topic.
    topic_discount, word_discount
        Discount of the nodes over topics and over words: a number, or a `Beta` prior.
    concentration
        Concentration of every node: a number, or a `Gamma` prior.

    >>> author_topic()
    g = Graph()
    g.gem("mu")
    g.pyp("nu", base="mu", plate="author")
    g.pyp("theta", base="nu", plate="document")
    g.pyp("gamma", base=uniform("vocabulary"))
    g.pyp("phi", base="gamma", plate="topic")
    g.tokens("word", topic="theta", emit="phi")
    >>> " ".join(author_topic(hashtags=True).names)
    'mu nu theta gamma phi phi_tag hashtag word'
    """
    g = Graph()
    mu = g.gem("mu", discount=topic_discount, concentration=concentration)
    nu = g.pyp("nu", base=mu, plate="author", discount=topic_discount, concentration=concentration)
    theta = g.pyp("theta", base=nu, plate="document", discount=topic_discount, concentration=concentration)
    gamma = g.pyp("gamma", base=uniform("vocabulary"), discount=word_discount, concentration=concentration)
    phi = g.pyp("phi", base=gamma, plate="topic", discount=word_discount, concentration=concentration)
    if hashtags:
        phi_tag = g.pyp("phi_tag", base=gamma, plate="topic", discount=word_discount, concentration=concentration)
        g.tokens("hashtag", topic=theta, emit=phi_tag)
    g.tokens("word", topic=theta, emit=phi)
    return g
