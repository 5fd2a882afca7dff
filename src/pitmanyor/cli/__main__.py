"""`python -m pitmanyor.cli` is the command line too."""

from pitmanyor.cli import main

if __name__ == "__main__":
    main()
