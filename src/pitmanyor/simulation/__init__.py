"""Draw corpora from graphs: exact, slow and simple, so that everything fast can be checked against it."""

from pitmanyor.simulation.plates import Plates
from pitmanyor.simulation.restaurants import Restaurants
from pitmanyor.simulation.simulation import Simulation, simulate

__all__ = ["Plates", "Restaurants", "Simulation", "simulate"]
