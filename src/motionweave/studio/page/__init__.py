"""The page that every screen is part of: header, shelf, messages, figures."""
