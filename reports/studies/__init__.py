"""What a report says of a study: arms, control items and the plan."""
