"""A seventh kind of question, outside the product: the proof that a kind is its folders and a line in each registry."""
