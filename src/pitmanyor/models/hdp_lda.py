"""HDP-LDA (Teh, Jordan, Beal and Blei 2006): as many topics as the text asks for, all discounts 0.

mu      ~ GEM(0, b_mu)                  how common each topic is in the corpus
theta_d ~ PYP(0, b_theta, mu)           the topics of document d (a Dirichlet process)
phi_k   ~ Dirichlet(b/V, ..., b/V)      the words of topic k
z_dn    ~ Discrete(theta_d)             the topic of token n
w_dn    ~ Discrete(phi_{z_dn})          the word itself
"""

from __future__ import annotations

from pitmanyor.graph import Gamma, Graph
from pitmanyor.graph.values import PRIOR


def hdp_lda(*, concentration: float | Gamma = PRIOR) -> Graph:
    """HDP-LDA; `concentration` goes to every node.

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
