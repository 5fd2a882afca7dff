"""HDP-LDA (Teh, Jordan, Beal and Blei 2006): the number of topics is inferred, and all discounts are 0.

mu      ~ GEM(0, b_mu)                  overall topic proportions
theta_d ~ PYP(0, b_theta, mu)           topic proportions of document d (a Dirichlet process)
phi_k   ~ Dirichlet(b/V, ..., b/V)      words of topic k
z_dn    ~ Discrete(theta_d)             topic of token n
w_dn    ~ Discrete(phi_{z_dn})          word of token n
"""

from __future__ import annotations

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import GraphError
from pitmanyor.graph import Gamma, Graph
from pitmanyor.graph.topic_numbers import IN_MODELS
from pitmanyor.graph.values import PRIOR


@checked_call(error=GraphError, hints=IN_MODELS)
def hdp_lda(*, concentration: float | Gamma = PRIOR) -> Graph:
    """LDA with the number of topics inferred by a hierarchical Dirichlet process.

    Parameters
    ----------
    concentration
        Concentration of every node: a number, or a `Gamma` prior.

    >>> hdp_lda()
    g = Graph()
    g.gem("mu")
    g.pyp("theta", base="mu", plate="document")
    g.dirichlet("phi", over="vocabulary", plate="topic")
    g.tokens("word", topic="theta", emit="phi")
    """
    g = Graph()
    mu = g.gem("mu", discount=0, concentration=concentration)
    theta = g.pyp("theta", base=mu, plate="document", discount=0, concentration=concentration)
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=concentration)
    g.tokens("word", topic=theta, emit=phi)
    return g
