"""Numbers that the maths asks for: generalised Stirling numbers, random draws, densities and curves."""
