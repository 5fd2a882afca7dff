"""Restaurants as counts in flat arrays: their terms, scoring, seating, births and deaths of topics (maths 2 and 3)."""
