"""What becomes of a release: made by a job, checked, attacked, decided on and handed over."""
