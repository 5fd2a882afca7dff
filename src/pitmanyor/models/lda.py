"""Latent Dirichlet allocation (Blei, Ng and Jordan 2003) with a fixed number of topics.

The generative process, for K topics and a vocabulary of V words:

    theta_d ~ Dirichlet(b/K, ..., b/K)      topic proportions of document d
    phi_k   ~ Dirichlet(b'/V, ..., b'/V)    words of topic k
    z_dn    ~ Discrete(theta_d)             topic of token n
    w_dn    ~ Discrete(phi_{z_dn})          word of token n

b and b' are total concentrations, with Gamma priors unless fixed. Both Dirichlets are conjugate roots and need no
tables (maths 2).
"""

from __future__ import annotations

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import GraphError
from pitmanyor.graph import Gamma, Graph
from pitmanyor.graph.values import PRIOR


@checked_call(error=GraphError)
def lda(n_topics: int, *, concentration: float | Gamma = PRIOR) -> Graph:
    """LDA with a fixed number of topics.

    Parameters
    ----------
    n_topics
        Number of topics.
    concentration
        Total concentration of theta and of phi: a number, or a `Gamma` prior.

    >>> lda(20)
    g = Graph()
    g.dirichlet("theta", over=20, plate="document")
    g.dirichlet("phi", over="vocabulary", plate="topic")
    g.tokens("word", topic="theta", emit="phi")
    """
    g = Graph()
    theta = g.dirichlet("theta", over=n_topics, plate="document", concentration=concentration)
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=concentration)
    g.tokens("word", topic=theta, emit=phi)
    return g
