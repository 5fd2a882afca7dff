"""The HPYP topic model (Lim, Buntine, Chen and Du 2016, section 3): three Pitman-Yor layers of topics, two of words.

    mu      ~ PYP(a_mu, b_mu, H_mu)             topics of the world; H_mu is diffuse, so mu is a GEM
    nu      ~ PYP(a_nu, b_nu, mu)               topics of the corpus
    theta_d ~ PYP(a_theta, b_theta, nu)         topics of document d
    gamma   ~ PYP(a_gamma, b_gamma, uniform)    how common each word is; uniform over the vocabulary
    phi_k   ~ PYP(a_phi, b_phi, gamma)          words of topic k
    z_dn    ~ Discrete(theta_d)                 the topic of token n
    w_dn    ~ Discrete(phi_{z_dn})              the word itself

Discounts a > 0 give power laws. Words have one, as language does; topics have none unless `topic_discount` says so,
because real text hardly asks for it (decision 8).
"""

from __future__ import annotations

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import GraphError
from pitmanyor.graph import Beta, Gamma, Graph, uniform
from pitmanyor.graph.topic_numbers import IN_MODELS
from pitmanyor.graph.values import PRIOR, TOPIC_DISCOUNT, WORD_DISCOUNT


@checked_call(error=GraphError, hints=IN_MODELS)
def hpyp(
    *,
    topic_discount: float | Beta = TOPIC_DISCOUNT,
    word_discount: float | Beta = WORD_DISCOUNT,
    concentration: float | Gamma = PRIOR,
) -> Graph:
    """The paper's three-layer topic model, with power laws of word frequencies.

    Parameters
    ----------
    topic_discount, word_discount
        Discount of the nodes over topics and over words: a number, or a `Beta` prior.
    concentration
        Concentration of every node: a number, or a `Gamma` prior.

    >>> hpyp()
    g = Graph()
    g.gem("mu")
    g.pyp("nu", base="mu")
    g.pyp("theta", base="nu", plate="document")
    g.pyp("gamma", base=uniform("vocabulary"))
    g.pyp("phi", base="gamma", plate="topic")
    g.tokens("word", topic="theta", emit="phi")
    """
    g = Graph()
    mu = g.gem("mu", discount=topic_discount, concentration=concentration)
    nu = g.pyp("nu", base=mu, discount=topic_discount, concentration=concentration)
    theta = g.pyp("theta", base=nu, plate="document", discount=topic_discount, concentration=concentration)
    gamma = g.pyp("gamma", base=uniform("vocabulary"), discount=word_discount, concentration=concentration)
    phi = g.pyp("phi", base=gamma, plate="topic", discount=word_discount, concentration=concentration)
    g.tokens("word", topic=theta, emit=phi)
    return g
