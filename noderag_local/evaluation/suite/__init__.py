"""A suite is a folder of corpora with questions, on which methods are compared with the simplest searches."""
