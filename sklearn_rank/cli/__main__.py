"""Run the command ``sklearn-rank``."""

import sys

from sklearn_rank.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
