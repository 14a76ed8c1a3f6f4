"""`python -m graphpack_loader`: the command `graphpack`."""

import signal
import sys

from ._graphpack import command


def main() -> int:
    """Runs the command with the arguments of this process."""
    # Python's handler would only note the signal, and nobody looks before the command has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return command(["graphpack", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
