"""Authors with hashtags, words and links between blocks of topics: text and links inform each other, neither dictates.

The text is that of the Twitter-Network topic model (see `tntm`). Links have vectors of their own, which scatter around
the author's topics and those of the world, so that an author may be followed for what he never writes about:

    chi_i    ~ PYP(a, b, (nu_i + mu0) / 2)                      topics of author i's links

A link from i to j is an event, or several, with a topic at either end (a mixed-membership block model with Poisson
rates), at a rate in which everybody is active and popular in his own measure; every event is answered at random:

    L_kl     ~ Gamma(1/2, 1/(2 m)),   log m ~ N(-2, 2^2)        how much authors of topic k link to those of topic l,
                                                                with one m within topics and one between them
    s_i, r_j ~ Gamma(v, v)                                      how active and how popular an author is
    e_ij     ~ Poisson(s_i r_j chi_i' L chi_j)                  events from i to j
    x_ij     = 1 if there is an event from i to j or an answered one from j to i

The cost of a step grows with the number of links, not with that of pairs.

>>> " ".join(author_blocks().names)
'mu0 mu1 nu eta theta_tag theta gamma psi_tag psi chi hashtag word follows'

Links without text:

>>> " ".join(author_blocks().without("hashtag").without("word").names)
'mu0 nu chi follows'

Links between the vectors of the text, without vectors of their own:

>>> " ".join(author_blocks().set("follows", between="nu").names)
'mu0 mu1 nu eta theta_tag theta gamma psi_tag psi hashtag word follows'

Nobody more popular or active than others, and nobody who answers:

>>> alike = author_blocks().set("follows", popularity=False).set("follows", reciprocity=False)
>>> [(links.popularity, links.reciprocity) for links in alike.link_sets]
[(False, False)]
"""

from __future__ import annotations

from pitmanyor.graph import Beta, Gamma, Graph, mix
from pitmanyor.graph.values import PRIOR, TOPIC_DISCOUNT, WORD_DISCOUNT
from pitmanyor.models.tntm import tntm


def author_blocks(
    *,
    topic_discount: float | Beta = TOPIC_DISCOUNT,
    word_discount: float | Beta = WORD_DISCOUNT,
    concentration: float | Gamma = PRIOR,
) -> Graph:
    """Authors with hashtags, words and links between blocks of topics: streams, grouping and links as in `tntm`.

    Parameters
    ----------
    topic_discount, word_discount
        Discount of the nodes over topics and over words: a number, or a `Beta` prior.
    concentration
        Concentration of every node: a number, or a `Gamma` prior.
    """
    text = tntm(topic_discount=topic_discount, word_discount=word_discount, concentration=concentration)
    g = text.without("follows").copy()
    own = mix("nu", "mu0", weights=(0.5, 0.5))
    chi = g.pyp("chi", base=own, plate="author", discount=topic_discount, concentration=concentration)
    g.links("follows", between=chi, kernel="blocks", popularity=True, reciprocity=True)
    return g
