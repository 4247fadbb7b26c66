"""Pages of regression models: researchers specify them on a run, reviewers decide, readers see published ones."""
