"""Document 004, the grouped unrelated-question model: what records prove, and what mining disguised data finds."""
