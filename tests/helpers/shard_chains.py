"""Chains over the same small corpora, plain and in shards, and what is not the same of two of them."""

from __future__ import annotations

from leaf_graphs import author_words, two_streams, two_word_parents
from pitmanyor.graph import Beta, Graph
from pitmanyor.models import author_topic, bursty, hdp_lda, hpyp, lda, tntm
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.chain import Chain
from pitmanyor.shards.sharded import bounds_of, empty_state, in_files, in_memory, on_dask
from pitmanyor.shards.sharded_chain import COSTS, ShardedChain
from pitmanyor.simulation import simulate
from pitmanyor.state import new_state

SWEEPS = 9
OPTIONS = {"seed": 7, "anchors": 0.05, "collapsed_first": 1, "passes": 2}


LAWS = {"topic_discount": 0.5, "word_discount": 0.7}
POWER, MIXED = tntm(**LAWS).without("follows"), tntm().without("follows")
MODELS: dict[str, Graph] = {
    "lda": lda(6),
    "hdp_lda": hdp_lda(),
    "hpyp": hpyp(**LAWS),
    "author_topic": author_topic(),
    "tntm": POWER,
    "bursty": bursty(hpyp()),
    "bursty tntm": bursty(MIXED),
    "a concentration for each document": hpyp().set("*", concentration_per="instance"),
    "a discount that is sampled": hpyp().set("phi", discount=Beta(1, 1)).set("mu", discount=Beta(1, 1)),
    "words of authors": author_words(also_emits=False),
    "words of authors over a node that emits": author_words(also_emits=True),
    "two streams of one node": two_streams(shared=True),
    "two streams": two_streams(shared=False),
    "two parents of words": two_word_parents(),
}


def corpus_of(graph: Graph):
    fixed = graph.set("*", concentration=2.0)
    return simulate(fixed, documents=40, tokens=20, groups={"author": 4}, vocabulary=60, seed=3).corpus


def many(graph: Graph) -> int:
    """So many topics that with few anchors some are held by none, and labels change."""
    return 6 if any(node.kind == "dirichlet" and node.side == "topic" for node in graph.nodes) else 20


def run(chain, n_topics, sweeps):
    chain.sweeper.relabels = True  # which comes with splits and merges otherwise
    chain.initialise(n_topics)
    for _ in range(sweeps):
        chain.step()


def plain(graph, corpus, n_topics=0, **options):
    chain = Chain(new_state(compile_plan(graph, corpus)), **options)
    run(chain, many(graph) if n_topics == 0 else n_topics, SWEEPS)
    return chain.state.net, chain.state.text, chain.trace


def sharded(graph, corpus, size, n_topics=0, order=range, home=None, client=None, **options):
    """A chain over shards: in memory, or in files of a directory, or there and on workers."""
    bounds, has_tokens = bounds_of(graph, corpus, size)
    state = empty_state(graph, corpus, bounds)
    given = (state, corpus, bounds, has_tokens)
    if client is not None:
        held = on_dask(*given, home, client)
    elif home is not None:
        held = in_files(*given, home)
    else:
        held = in_memory(*given)
        held.holder.order = order
    chain = ShardedChain(state, held, **options)
    run(chain, many(graph) if n_topics == 0 else n_topics, SWEEPS)
    state = chain.whole()
    return state.net, state.text, chain.trace


def differences(one, other) -> list[str]:
    """What is not the same, to the last bit, of two chains."""
    nets = ("counts", "to", "totals", "n_to", "stay", "open", "rests", "weight", "status", "reals")
    texts = ("first", "word", "topic", "code", "cells", "context", "number", "concentration", "measures")
    found = [name for name in nets if getattr(one[0], name).tobytes() != getattr(other[0], name).tobytes()]
    found += [name for name in texts if getattr(one[1], name).tobytes() != getattr(other[1], name).tobytes()]
    names = [name for name in {**one[2], **other[2]} if not name.startswith(COSTS)]
    return found + [name for name in names if one[2].get(name) != other[2].get(name)]
