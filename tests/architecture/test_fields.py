"""Each field of each component says what it is, in which unit and shape."""
from __future__ import annotations

import importlib
import pkgutil

import pytest

import components
from framework.component import info


def all_components() -> dict[str, type]:
    found = {}
    for module in pkgutil.iter_modules(components.__path__, "components."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and hasattr(value, "__component__") and value.__module__ == module.name:
                found[value.__name__] = value
    return found


COMPONENTS = all_components()


@pytest.mark.parametrize("name", COMPONENTS)
def test_fields_are_documented(name: str) -> None:
    cls = COMPONENTS[name]
    assert cls.__doc__ and not cls.__doc__.startswith(f"{name}("), f"{name} has no docstring"
    for field in info(cls).fields.values():
        assert field.doc, f"{name}.{field.name} has no doc="
        if field.dtype == "float64":
            assert field.unit, f"{name}.{field.name} has no unit="


@pytest.mark.parametrize("name", COMPONENTS)
def test_no_field_has_a_reserved_name(name: str) -> None:
    """Reductions, `build` and `world` mean something else in a path."""
    reserved = {"min", "max", "mean", "sum", "norm", "rms", "build", "world"}
    assert not reserved & set(info(COMPONENTS[name]).fields)


def test_component_names_are_distinct() -> None:
    names = [info(cls).name for cls in COMPONENTS.values()]
    assert len(names) == len(set(names))


def test_every_component_is_exported() -> None:
    missing = [name for name in COMPONENTS if not hasattr(components, name)]
    assert not missing, f"components/__init__.py does not export {missing}"
