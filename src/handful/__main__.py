"""``handful`` and ``python -m handful``: the command line, also while it is being loaded."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C ends it with a sentence, however early it comes."""
    try:
        from handful.cli import main as run

        run()
    except KeyboardInterrupt as error:
        print("Interrupted.", file=sys.stderr)
        raise SystemExit(130) from error


if __name__ == "__main__":
    main()
