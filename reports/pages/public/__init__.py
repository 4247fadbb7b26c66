"""The public page of a report, and the card that social media show for it."""
