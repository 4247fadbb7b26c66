"""What leaves the house: the page for the public, its card for social media, and the same for paper."""
