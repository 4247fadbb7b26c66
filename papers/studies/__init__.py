"""Published studies of sensitive questions, re-estimated from their counts."""
