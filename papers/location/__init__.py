"""Document 002, on sensitive places: the square mechanism, its utility-optimised form, rivals,
and expected errors."""
