"""The errors of the viewer."""
from __future__ import annotations

from framework.errors import FieldError, OutputError


class ViewerError(OutputError):
    """A picture or a film cannot be made; the text says why, and what to install or change."""


class SceneError(FieldError):
    """Something to be drawn breaks a rule: a wrong shape, a colour that is unknown."""
