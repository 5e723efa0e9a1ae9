"""Moving pictures of motions: video, animated images, and a player for web pages."""
