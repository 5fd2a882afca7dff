"""The Twitter-Network topic model (Lim, Buntine, Chen and Du 2016, section 5): authors, hashtags, words, followers.

Topics:
    mu0      ~ GEM(a, b)                                        topics of the world
    mu1      ~ PYP(a, b, mu0)                                   miscellaneous topics, off the authors' usual ones
    nu_i     ~ PYP(a, b, mu0)                                   topics of author i
    eta_d    ~ PYP(a, b, nu_{a_d})                              topics of post d, from its author a_d
    theta'_d ~ PYP(a, b, rho'_d mu1 + (1 - rho'_d) eta_d)       topics of its hashtags (`theta_tag`)
    theta_d  ~ PYP(a, b, rho_d eta_d + (1 - rho_d) theta'_d)    topics of its words
    rho'_d, rho_d ~ Beta(lambda_0, lambda_1)                    lambda = 1, learned

Words:
    gamma    ~ PYP(a, b, uniform)                               how common each word or hashtag is
    psi'_k   ~ PYP(a, b, gamma)                                 hashtags of topic k (`psi_tag`)
    psi_k    ~ PYP(a, b, gamma)                                 words of topic k

Tokens:
    z'_dm ~ Discrete(theta'_d),  y_dm ~ Discrete(psi'_{z'_dm})  hashtags
    z_dn  ~ Discrete(theta_d),   w_dn ~ Discrete(psi_{z_dn})    words

Followers:
    Q ~ GP(cosine(nu_i, nu_j), kappa),  x_ij ~ Bernoulli(sigmoid(Q_ij))    author i follows author j

Every a and b stands for the node's own discount and concentration. The paper's ablations are one-line edits:

>>> " ".join(tntm().names)
'mu0 mu1 nu eta theta_tag theta gamma psi_tag psi hashtag word follows'

No author: posts stand on mu0; nu goes, and the links between authors with it.

>>> " ".join(tntm().rebase("eta", "mu0").names)
'mu0 mu1 eta theta_tag theta gamma psi_tag psi hashtag word'

No hashtag: the stream goes, with psi_tag and mu1, which nothing needs any more.

>>> " ".join(tntm().without("theta_tag").names)
'mu0 nu eta theta gamma psi word follows'
>>> tntm().without("theta_tag")["theta"].parents
('eta',)

No mu1: hashtags have only the post's own topics.

>>> " ".join(tntm().rebase("theta_tag", "eta").names)
'mu0 nu eta theta_tag theta gamma psi_tag psi hashtag word follows'

No connection from theta' to theta: words do not look at the hashtags' topics.

>>> " ".join(tntm().rebase("theta", "eta").names)
'mu0 mu1 nu eta theta_tag theta gamma psi_tag psi hashtag word follows'
>>> tntm().rebase("theta", "eta")["theta"].parents
('eta',)

No power law: every discount is 0.

>>> {node.discount for node in tntm().set("*", discount=0).nodes}
{0.0}

And no network, text alone:

>>> " ".join(tntm().without("follows").names)
'mu0 mu1 nu eta theta_tag theta gamma psi_tag psi hashtag word'
"""

from __future__ import annotations

from functools import partial

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import GraphError
from pitmanyor.graph import Beta, Gamma, Graph, mix, uniform
from pitmanyor.graph.topic_numbers import IN_MODELS
from pitmanyor.graph.values import PRIOR, TOPIC_DISCOUNT, WORD_DISCOUNT


@checked_call(error=GraphError, hints=IN_MODELS)
def tntm(
    *,
    topic_discount: float | Beta = TOPIC_DISCOUNT,
    word_discount: float | Beta = WORD_DISCOUNT,
    concentration: float | Gamma = PRIOR,
) -> Graph:
    """The Twitter-Network topic model: streams "hashtag" and "word", grouping "author", links "follows".

    Parameters
    ----------
    topic_discount, word_discount
        Discount of the nodes over topics and over words: a number, or a `Beta` prior.
    concentration
        Concentration of every node: a number, or a `Gamma` prior.
    """
    g = Graph()
    topics = partial(g.pyp, discount=topic_discount, concentration=concentration)
    words = partial(g.pyp, discount=word_discount, concentration=concentration)
    mu0 = g.gem("mu0", discount=topic_discount, concentration=concentration)
    mu1 = topics("mu1", base=mu0)
    nu = topics("nu", base=mu0, plate="author")
    eta = topics("eta", base=nu, plate="document")
    theta_tag = topics("theta_tag", base=mix(mu1, eta), plate="document")
    theta = topics("theta", base=mix(eta, theta_tag), plate="document")
    gamma = words("gamma", base=uniform("vocabulary"))
    psi_tag = words("psi_tag", base=gamma, plate="topic")
    psi = words("psi", base=gamma, plate="topic")
    g.tokens("hashtag", topic=theta_tag, emit=psi_tag)
    g.tokens("word", topic=theta, emit=psi)
    g.links("follows", between=nu)
    return g
