"""Lights, and what they do to a colour: the arithmetic of the shaders, for the painter and as its definition."""
from __future__ import annotations

import numpy as np

from .scene import Camera, Light, Scene

GLOSS = 0.3  # a surface returns this part of a light's specular term: cloth and rubber, not chrome
KNEE = 0.8  # brightness above which colours are compressed towards white


def lights_of(scene: Scene, camera: Camera) -> list[Light]:
    return list(scene.lights) if scene.lights is not None else default_lights(camera)


def default_lights(camera: Camera) -> list[Light]:
    """One light from above and a weaker one from below, both on the eye's side, as far as the view is deep.

    Straight above and below would leave upright faces dark, hence the offset towards the eye.
    """
    back = camera.eye - camera.target
    distance = float(np.linalg.norm(back))
    back = back / distance
    side = np.cross([0.0, 1.0, 0.0], back)
    above = camera.target + distance * (np.array([0.0, 1.6, 0.0]) + 1.2 * back - 0.5 * side)
    below = camera.target + distance * (np.array([0.0, -1.6, 0.0]) + 1.0 * back + 0.6 * side)
    # Together they share the energy of a strong and a fill light; both at full strength would flatten every fold.
    return [Light(above, ambient=0.23, diffuse=0.62), Light(below, ambient=0.23, diffuse=0.28, specular=0.15)]


def light_arrays(lights: list[Light]) -> tuple[np.ndarray, np.ndarray]:
    """Positions (k, 4) and coefficients (k, 4): ambient, diffuse, specular with gloss, shininess."""
    positions = np.array([light.position for light in lights]).reshape(-1, 4)
    rows = [[light.ambient, light.diffuse, GLOSS * light.specular, light.shininess] for light in lights]
    return positions, np.array(rows).reshape(-1, 4)


def shade(colour: np.ndarray, normal: np.ndarray, point: np.ndarray, eye: np.ndarray,
          lights: list[Light]) -> np.ndarray:
    """Phong shading: colours, unit normals that face the eye and points, all (n, 3), give lit colours (n, 3)."""
    view = eye - point
    view = view / np.maximum(np.linalg.norm(view, axis=1, keepdims=True), 1e-30)
    factor = np.zeros((len(colour), 1))
    gloss = np.zeros((len(colour), 1))
    for position, (ambient, diffuse, specular, shininess) in zip(*light_arrays(lights), strict=True):
        towards = position[:3] - point * position[3]
        towards = towards / np.maximum(np.linalg.norm(towards, axis=1, keepdims=True), 1e-30)
        cosine = np.einsum("ij,ij->i", normal, towards)[:, None]
        mirrored = np.einsum("ij,ij->i", 2.0 * cosine * normal - towards, view)[:, None]
        lit = cosine > 0.0
        factor += ambient + diffuse * np.where(lit, cosine, 0.0)
        gloss += specular * np.where(lit, np.maximum(mirrored, 0.0) ** shininess, 0.0)
    return compress(colour * factor + gloss)


def compress(colour: np.ndarray) -> np.ndarray:
    """Colours (n, 3) whose largest channel is bent below 1 smoothly, the hue kept."""
    largest = np.maximum(colour.max(axis=1, keepdims=True), 1e-6)
    over = np.maximum(largest - KNEE, 0.0)
    bent = np.minimum(largest, KNEE) + (1.0 - KNEE) * (1.0 - np.exp(-over / (1.0 - KNEE)))
    return colour * (bent / largest)
