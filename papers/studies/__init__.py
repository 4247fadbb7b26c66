"""Published studies of sensitive questions, estimated again from their counts."""
