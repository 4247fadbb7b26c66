"""The square mechanism for places on a plane, of document 002."""
