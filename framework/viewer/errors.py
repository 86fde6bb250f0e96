"""The one error of the viewer."""
from __future__ import annotations

from framework.errors import OutputError


class ViewerError(OutputError):
    """A picture or a film cannot be made; the text says why, and what to install or change."""
