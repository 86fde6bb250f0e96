"""Recordings: runs as HDF5 files that survive the run, to look at, to export and to go on from.

`journal` is the file that a kill cannot break, `format` what is in it, `packing` plain data as JSON; `writer` and
`reader` put frames in and out, `recorder` is what a world offers, `origin` the scene that makes a world again.
"""

from framework.recording.reader import Recording
from framework.recording.recorder import Recorder

__all__ = ["Recorder", "Recording"]
