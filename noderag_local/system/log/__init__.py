"""Log for bug reports, off by default; it records what was done and where it failed, but no word of any note."""

import logging

# Without a log, logged errors must not be printed on the terminal.
logging.getLogger(__name__.partition(".")[0]).addHandler(logging.NullHandler())
