"""What the experiments on Adult take."""

KS = (2, 5, 10, 20, 50)
DIVERSITY = 3
"""Distinct values of the sensitive attribute that every class is to have."""
SEED = 1
TRIES = 2_000
"""At which *tree* stops: by tries and not by the clock, so that its classes are the same everywhere."""
