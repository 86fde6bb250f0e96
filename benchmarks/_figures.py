"""Figures: named numbers with the goal they must meet, measured in interleaved rounds, and how they are printed."""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """value: None where it could not be measured, `note` then says why. goal: 'at least' or 'at most' a number."""

    name: str
    value: float | None
    unit: str
    bound: str = "at least"
    limit: float | None = None
    note: str = ""

    @property
    def goal(self) -> str | None:
        return None if self.limit is None else f"{self.bound} {self.limit:g}"

    @property
    def holds(self) -> bool | None:
        if self.value is None or self.limit is None:
            return None
        return self.value >= self.limit if self.bound == "at least" else self.value <= self.limit

    def json(self) -> str:
        value = None if self.value is None else round(self.value, 4)
        line = {"name": self.name, "value": value, "unit": self.unit, "goal": self.goal, "holds": self.holds}
        return json.dumps(line | ({"note": self.note} if self.note else {}))

    def text(self) -> str:
        value = "-" if self.value is None else f"{self.value:.3g}"
        verdict = {True: "holds", False: "MISSED", None: ""}[self.holds]
        goal = f"{self.goal or '':14s}"
        return f"{self.name:44s} {value:>8s} {self.unit:22s} {goal} {verdict:6s} {self.note}".rstrip()


def skipped(name: str, unit: str, bound: str, limit: float | None, why: str) -> Figure:
    return Figure(name, None, unit, bound, limit, f"skipped: {why}")


def rounds_of(count: int, *measure: Callable[[], float]) -> list[tuple[float, ...]]:
    """`count` rounds of one measurement each, in turn: a neighbour that slows the machine slows all of a round."""
    return [tuple(each() for each in measure) for _ in range(count)]


def median_ratio(rounds: Iterable[tuple[float, ...]]) -> float:
    """Median of second over first."""
    return statistics.median(second / first for first, second, *_ in rounds)


def parser(description: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--json", action="store_true", help="one JSON object a line: name, value, unit, goal, holds")
    made.add_argument("--quick", action="store_true", help="fewer rounds, smaller sizes")
    made.add_argument("--only", default="", metavar="TEXT", help="only groups of figures whose name contains TEXT")
    return made


def report(groups: dict[str, Callable[[], Iterator[Figure]]], options: argparse.Namespace) -> None:
    """Measure the groups one by one and print each figure as soon as it is there."""
    for name, group in groups.items():
        if options.only in name:
            for figure in group():
                print(figure.json() if options.json else figure.text(), flush=True)
