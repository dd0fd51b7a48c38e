"""``python -m handful`` is the command line."""

from handful.cli import main

if __name__ == "__main__":
    main()
