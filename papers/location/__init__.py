"""Document 002, on sensitive places: the square mechanism, its optimised form, rivals, and errors."""
