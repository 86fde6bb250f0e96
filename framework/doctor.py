"""The doctor: what is probably wrong with a scene, found before it runs. `pliant doctor DEMO|FILE`.

A finding is advice about a scene that can run; what cannot run is an error where it is given. Systems say what they
know in `check(world)`; the general checks live in `systems.checks`. No check changes the world.
"""

from __future__ import annotations

import dataclasses
import importlib
import textwrap
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from framework.world import World

SEVERITIES = ("error", "warning", "note")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Finding:
    """what is wrong, where (entity.Component.field, element), why it matters and what to do.

    severity: "error": the run will fail or mean nothing; "warning": probably a mistake; "note": worth knowing.
    """

    what: str
    where: str
    why: str
    do: str
    severity: str = "warning"

    def __str__(self) -> str:
        lines = [f"{self.severity}: {self.where}: {self.what}", f"why: {self.why}", f"do:  {self.do}"]
        return "\n".join(
            textwrap.fill(line, 100, initial_indent="" if i == 0 else "    ", subsequent_indent="         ")
            for i, line in enumerate(lines)
        )


Check = Callable[["World"], Iterable[Finding]]


def examine(world: World, checks: Iterable[Check] | None = None) -> list[Finding]:
    """All findings on a world as it is now, the gravest first.

    checks: functions world -> findings; None: the general ones of `systems.checks`.
    """
    if checks is None:
        checks = importlib.import_module("systems.checks").CHECKS
    found: list[Finding] = [finding for check in checks for finding in check(world)]
    for system in world.engine.schedule:
        with world.acting(system):
            found += system.check(world)
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))


def report(name: str, findings: list[Finding]) -> str:
    """The text that `pliant doctor` prints."""
    if not findings:
        return f"{name}: nothing to report"
    counts = [(sum(f.severity == s for f in findings), s) for s in SEVERITIES]
    summary = ", ".join(f"{n} {s}{'s' if n > 1 else ''}" for n, s in counts if n)
    return "\n".join([*(str(finding) for finding in findings), f"{name}: {summary}"])


def needs_care(findings: Iterable[Finding]) -> bool:
    """Whether anything is worse than a note: `pliant doctor` then exits with 1."""
    return any(finding.severity != "note" for finding in findings)
