"""How much the numbers of a run may be trusted, beyond their intervals."""
