"""Widgets that know nothing of motion: the studio's own elements, and drag and drop."""
