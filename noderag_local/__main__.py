"""`python -m noderag_local` is the `noderag` command."""

from noderag_local.cli import main

if __name__ == "__main__":
    main()
