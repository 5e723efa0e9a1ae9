"""A library of clips: find, collect, connect them, and fill gaps from them."""
