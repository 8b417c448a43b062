"""A log for bug reports, off by default: it says what was done and where it failed, without a word of any note."""

import logging

# While no log is written, an error that is noted must not appear on the terminal by itself.
logging.getLogger(__name__.partition(".")[0]).addHandler(logging.NullHandler())
