"""A corpus of six planted topics that are told apart easily."""

from pitmanyor import Graph, simulate
from pitmanyor.graph import uniform
from pitmanyor.simulation.simulation import Simulation

TOPICS = 6


def planted_posts() -> Simulation:
    g = Graph()
    mu = g.dirichlet("mu", over=TOPICS, concentration=20.0 * TOPICS)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.0, concentration=1.0)
    gamma = g.pyp("gamma", base=uniform("vocabulary"), discount=0.5, concentration=100.0)
    phi = g.pyp("phi", base=gamma, plate="topic", discount=0.5, concentration=30.0)
    g.tokens("word", topic=theta, emit=phi)
    return simulate(g, documents=400, tokens=60, vocabulary=500, seed=3)
