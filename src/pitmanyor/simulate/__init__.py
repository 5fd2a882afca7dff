"""Draw corpora from graphs: exact, slow and simple, so that everything fast can be checked against it."""

from pitmanyor.simulate.plates import Plates
from pitmanyor.simulate.restaurants import Restaurants
from pitmanyor.simulate.simulation import Simulation, simulate

__all__ = ["Plates", "Restaurants", "Simulation", "simulate"]
