"""Acclaim motion files: ASF skeletons and AMC takes."""
