"""A motion on another body: which joints correspond, and how body parts are turned."""
