"""The framebuffers of one picture size, kept while the size stays."""
from __future__ import annotations

from typing import Any

import moderngl


class Target:
    """What a picture is drawn into, what lies behind its bodies, and the finished picture as a texture.

    samples: 4 for smooth rims, 0 for speed. While the view stays, `plain` keeps the background, `behind` background and
    grounds: copying them costs little.
    """

    def __init__(self, context: moderngl.Context, size: tuple[int, int], samples: int):
        self.size, self.samples = size, samples
        self.texture = context.texture(size, 4)
        self.texture.filter = (moderngl.NEAREST, moderngl.NEAREST)

        def framebuffer(colour: Any = None) -> moderngl.Framebuffer:
            return context.framebuffer([colour or context.renderbuffer(size, 4, samples=samples)],
                                       context.depth_renderbuffer(size, samples=samples))

        self.plain, self.behind = framebuffer(), framebuffer()
        self.plain_key: Any = None
        self.behind_key: Any = None
        self.finished = context.framebuffer([self.texture])
        self.drawn = framebuffer() if samples else framebuffer(self.texture)
