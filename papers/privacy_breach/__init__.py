"""Document 000, on privacy breaches: what records reveal under three laws, and a law for given conditions."""
