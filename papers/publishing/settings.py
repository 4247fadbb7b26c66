"""What the experiments take: criteria, methods, seeds."""

KS = (2, 5, 10, 20, 50)
DIVERSITY = 3
SEED = 1
ROUNDS = 1_000
"""Tries of *tree* on a small table."""
