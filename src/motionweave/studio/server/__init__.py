"""The server: who may talk to it, what it answers, and the application that it runs."""
