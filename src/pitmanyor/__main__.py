"""`python -m pitmanyor` is the command line."""

from pitmanyor.cli import main

if __name__ == "__main__":
    main()
