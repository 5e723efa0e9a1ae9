"""``python -m motionweave``: the command line."""

import sys

from motionweave.cli.main import main

sys.exit(main())
