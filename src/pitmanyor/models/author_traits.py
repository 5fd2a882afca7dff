"""Authors with hashtags, words and links between traits: text says what it can of them, the links say the rest.

The text is that of the Twitter-Network topic model (see `tntm`). Whether i follows j depends on how active i is, how
popular j is, and on eight traits of i as a follower and eight of j as one who is followed. The topics of an author
predict each of these, and a rest is the author's own, so that text decides where few links are known, and links decide
where many are:

    y_i      = sqrt(nu_i)' w + e_i,   w ~ N(0, s I),   e_i ~ N(0, t)     each trait of author i, and his effects
    q_ij     = m + a_i + b_j + u_i' v_j + g_ij + e_ij                    the score of a pair; a, b, u and v are traits
    g_ij     = g_ji ~ N(0, h),   e_ij ~ N(0, 1 - h)                      both directions of a pair have g in common
    x_ij     = 1 if q_ij > 0

All variances are learned, with m ~ N(0, 3^2) and h ~ U(0, 1). Every pair is looked at, so this model is for some
thousands of authors; `author_blocks` is for more.

>>> " ".join(author_traits().names)
'mu0 mu1 nu eta theta_tag theta gamma psi_tag psi hashtag word follows'

Links without text:

>>> " ".join(author_traits().without("hashtag").without("word").names)
'mu0 nu follows'

Nobody more popular or active than others, and links back no more likely than others:

>>> alike = author_traits().set("follows", popularity=False).set("follows", reciprocity=False)
>>> [(links.popularity, links.reciprocity) for links in alike.link_sets]
[(False, False)]
"""

from __future__ import annotations

from pitmanyor.call_checks import checked_call
from pitmanyor.graph import Beta, Gamma, Graph
from pitmanyor.graph.values import PRIOR, TOPIC_DISCOUNT, WORD_DISCOUNT
from pitmanyor.models.tntm import tntm


@checked_call()
def author_traits(
    *,
    topic_discount: float | Beta = TOPIC_DISCOUNT,
    word_discount: float | Beta = WORD_DISCOUNT,
    concentration: float | Gamma = PRIOR,
) -> Graph:
    """Authors with hashtags, words and links between traits: streams, grouping and links as in `tntm`.

    Parameters
    ----------
    topic_discount, word_discount
        Discount of the nodes over topics and over words: a number, or a `Beta` prior.
    concentration
        Concentration of every node: a number, or a `Gamma` prior.
    """
    text = tntm(topic_discount=topic_discount, word_discount=word_discount, concentration=concentration)
    g = text.without("follows").copy()
    g.links("follows", between="nu", kernel="traits", popularity=True, reciprocity=True)
    return g
