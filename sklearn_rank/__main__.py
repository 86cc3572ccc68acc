"""``python -m sklearn_rank`` is the command ``sklearn-rank``."""

import sys

from sklearn_rank.cli import main

if __name__ == "__main__":
    sys.exit(main())
