"""A simulation as a State of the oracle."""

from __future__ import annotations

from oracle.pmf import Count
from oracle.states import Place, State, make_state
from pitmanyor.graph import Graph
from pitmanyor.simulation import Restaurants, Simulation


def counts_of(restaurants: Restaurants) -> dict[Place, Count]:
    """Counts by node, instance and dish."""
    tables, tables_to = restaurants.tables(), restaurants.tables_to()
    return {
        (name, key, dish): (
            n,
            tables[name][key].get(dish, 0),
            tables_to[name][key][dish] if name in tables_to else (),
        )
        for name, keys in restaurants.customers().items()
        for key, dishes in keys.items()
        for dish, n in dishes.items()
    }


def flat(graph: Graph, by_stream: dict[str, list]) -> tuple[int, ...]:
    """Values of all tokens in the oracle's order: by document, stream, position."""
    n_documents = len(next(iter(by_stream.values())))
    return tuple(int(v) for d in range(n_documents) for stream in graph.streams for v in by_stream[stream.name][d])


def state_of(graph: Graph, simulation: Simulation) -> State:
    return make_state(graph, flat(graph, simulation.topics), counts_of(simulation.restaurants))
