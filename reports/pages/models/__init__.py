"""Models on pages: a researcher specifies them on a run, a reviewer decides on them, and readers see published ones."""
