"""What the studies of `mining/studies` find in the records of a survey, and its JSON: arms, control items, models,
weights, waves and plans. Counts come from any counter, those of patterns from columns."""
