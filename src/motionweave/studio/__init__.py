"""The studio: everything the library does, in a browser. It holds no algorithm of its own."""
