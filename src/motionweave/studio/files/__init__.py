"""Files in and out: uploads, exports, projects, and work that is saved by itself."""
