"""Life cycle of a release: jobs make, check, compare and attack it; people decide on it and download it."""
