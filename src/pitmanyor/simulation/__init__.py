"""Draw corpora from graphs: exact, slow and simple, so that fast code can be checked against it.

There is also a simulated microblog of readable posts, for demos.
"""

from pitmanyor.simulation.drawn_links import DrawnLinks
from pitmanyor.simulation.microblog import Microblog, simulate_microblog
from pitmanyor.simulation.plates import Plates
from pitmanyor.simulation.restaurants import Restaurants
from pitmanyor.simulation.simulation import Simulation, simulate

__all__ = ["DrawnLinks", "Microblog", "Plates", "Restaurants", "Simulation", "simulate", "simulate_microblog"]
