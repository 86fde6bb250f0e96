"""Material: physical parameters, and the elastic constants that any two of them determine."""
from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

from framework.component import component
from framework.errors import FieldError
from framework.fields import between, field, non_negative, positive

ELASTIC = ("young_modulus", "poisson_ratio", "shear_modulus", "bulk_modulus", "lame_lambda")
DENSITIES = ("mass_density", "areal_density", "linear_density", "total_mass")


def _parameter(unit: str, doc: str, rule: Any = positive) -> Any:
    return field(unit=unit, optional=True, default=None, rule=rule, doc=doc)


@component
class Material:
    """What a body is made of. Give one density (or the mass) and, for a continuum, any two elastic constants."""

    mass_density: float = _parameter("kg/m3", "mass per volume")
    areal_density: float = _parameter("kg/m2", "mass per area")
    linear_density: float = _parameter("kg/m", "mass per length")
    thickness: float = _parameter("m", "thickness of a surface, or of a body in plane stress")
    total_mass: float = _parameter("kg", "mass of the whole body")
    young_modulus: float = _parameter("Pa", "Young's modulus E")
    poisson_ratio: float = _parameter("1", "Poisson's ratio nu", between(-1, 0.5, low_open=True))
    shear_modulus: float = _parameter("Pa", "shear modulus G = mu")
    bulk_modulus: float = _parameter("Pa", "bulk modulus K")
    lame_lambda: float = _parameter("Pa", "Lame's first constant lambda", None)
    yield_stress: float = _parameter("Pa", "von Mises stress from which points of a continuum are marked as yielded")
    rupture_stress: float = _parameter("Pa", "largest principal stress from which points are marked as ruptured")
    rayleigh_alpha: float = field(unit="1/s", default=0.0, rule=non_negative, doc="mass-proportional damping")
    rayleigh_beta: float = field(unit="s", default=0.0, rule=non_negative, doc="stiffness-proportional damping")

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        elastic, density = self._given(ELASTIC), self._given(DENSITIES)
        if len(elastic) > 2:
            yield elastic[-1], "be left out where two elastic constants are given", ", ".join(elastic)
        if len(density) > 1:
            yield density[-1], "be left out where another density or the mass is given", ", ".join(density)
        if self.thickness is not None and self.mass_density is None and not elastic:
            found = f"{self.thickness} with {density or 'no density'}"
            yield "thickness", "come together with mass_density or elastic constants", found
        if len(elastic) == 2:
            problem = _pair_problem(self, elastic)
            if problem:
                yield elastic[0], *problem

    def _given(self, names: tuple[str, ...]) -> list[str]:
        return [name for name in names if getattr(self, name) is not None]


@dataclasses.dataclass(frozen=True)
class ElasticConstants:
    """All constants of an isotropic elastic material, in Pa but for the ratio; lambda and K are inf at nu = 1/2."""

    young_modulus: float
    poisson_ratio: float
    shear_modulus: float
    bulk_modulus: float
    lame_lambda: float
    lame_lambda_plane_stress: float


def elastic_constants(material: Material) -> ElasticConstants:
    """All elastic constants from the two that the material gives; FieldError when it gives another number of them."""
    given = material._given(ELASTIC)
    if len(given) != 2:
        found = f"only {given[0]}" if len(given) == 1 else f"{', '.join(given) or 'none'}"
        raise FieldError(f"Material must give two of {', '.join(ELASTIC)}, got {found}")
    problem = _pair_problem(material, given)
    if problem:
        raise FieldError(f"Material.{given[0]} must {problem[0]}, got {problem[1]}")
    values = {name: getattr(material, name) for name in given}
    g, nu, d = _shear_ratio_gap(values)
    known = {
        "young_modulus": 2 * g * (1 + nu),
        "poisson_ratio": nu,
        "shear_modulus": g,
        "bulk_modulus": 2 * g * (1 + nu) / (3 * d) if d else math.inf,
        "lame_lambda": 2 * g * nu / d if d else math.inf,
    }
    # regular at nu = 1/2, so never computed through lambda
    return ElasticConstants(**(known | values), lame_lambda_plane_stress=2 * g * nu / (1 - nu))


def _pair_problem(material: Material, names: list[str]) -> tuple[str, str] | None:
    """(rule, found) when two elastic constants fit no material or leave it open."""
    values = {name: getattr(material, name) for name in names}
    found = ", ".join(f"{name} = {value!r}" for name, value in values.items())
    try:
        g, nu, d = _shear_ratio_gap(values)
    except ZeroDivisionError:
        return "determine the material together with the other elastic constant", found
    if not (math.isfinite(g) and g > 0 and -1 < nu <= 0.5 and d >= 0):
        return "give a positive shear modulus and a Poisson ratio in (-1, 0.5]", f"{found} (nu = {nu:.6g}, G = {g:.6g})"
    return None


def _shear_ratio_gap(values: dict[str, float]) -> tuple[float, float, float]:
    """(G, nu, 1 - 2 nu) from any two constants, each without cancellation, so that nu near 1/2 keeps its digits."""
    e, nu, g, k, lam = (values.get(name, 0.0) for name in ELASTIC)
    pair = tuple(values)
    if pair == ("young_modulus", "poisson_ratio"):
        g, d = e / (2 * (1 + nu)), 1 - 2 * nu
    elif pair == ("young_modulus", "shear_modulus"):
        nu, d = (e - 2 * g) / (2 * g), (3 * g - e) / g
    elif pair == ("young_modulus", "bulk_modulus"):
        nu, d = (3 * k - e) / (6 * k), e / (3 * k)
        g = e / (2 * (1 + nu))
    elif pair == ("young_modulus", "lame_lambda"):
        root = math.sqrt(e * e + 9 * lam * lam + 2 * e * lam)
        total = e + lam + root
        gap = e - 3 * lam + root if lam < 0 else e + e * (e + 2 * lam) / (root + 3 * lam)
        nu, d = 2 * lam / total, gap / total
        g = e / (2 * (1 + nu))
    elif pair == ("poisson_ratio", "shear_modulus"):
        d = 1 - 2 * nu
    elif pair == ("poisson_ratio", "bulk_modulus"):
        d = 1 - 2 * nu
        g = 3 * k * d / (2 * (1 + nu))
    elif pair == ("poisson_ratio", "lame_lambda"):
        d = 1 - 2 * nu
        g = lam * d / (2 * nu)
    elif pair == ("shear_modulus", "bulk_modulus"):
        nu, d = (3 * k - 2 * g) / (2 * (3 * k + g)), 3 * g / (3 * k + g)
    elif pair == ("shear_modulus", "lame_lambda"):
        nu, d = lam / (2 * (lam + g)), g / (lam + g)
    else:
        nu, d = lam / (3 * k - lam), 3 * (k - lam) / (3 * k - lam)
        g = 1.5 * (k - lam)
    # E = 3 G in decimal figures may land a rounding error beyond 1/2
    return (g, 0.5, 0.0) if abs(d) < 1e-15 else (g, nu, d)
