"""noderag_local: questions to your own notes, answered on your own machine, with citations."""

__version__ = "0.1.0"
