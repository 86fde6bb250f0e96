"""What holds for all tests: a run opens no window, here or in the processes that tests start."""
from __future__ import annotations

import os

os.environ["PLIANT_HEADLESS"] = "1"
