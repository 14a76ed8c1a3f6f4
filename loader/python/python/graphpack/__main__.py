"""`python -m graphpack`: the command `graphpack`."""

import sys

from ._graphpack import command


def main() -> int:
    """Runs the command with the arguments of this process."""
    return command(["graphpack", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
