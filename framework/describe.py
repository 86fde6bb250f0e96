"""The text of `world.describe()`: the frame, who runs in it and for how long, and what solves each entity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from framework.system import ForceSystem, Stage

if TYPE_CHECKING:
    from framework.world import World


def world_text(world: World) -> str:
    engine, stepping = world.engine, world.stepping
    lines = [
        f"frame {world.frame}, t = {world.time:.6g} s; "
        f"frame time {stepping.frame_time:.6g} s in {stepping.substeps} substeps",
        "",
        "stage      system                 calls      seconds  reads / writes / adds",
    ]
    for stage in Stage:
        for system in engine.schedule.stages[stage]:
            idle = "" if system in engine.active(stage) else "  (idle: no entity needs it)"
            declared = (system.reads, system.writes, system.adds)
            touched = " / ".join(" ".join(cls.__name__ for cls in classes) or "-" for classes in declared)
            calls, seconds = engine.calls[system.name], engine.seconds[system.name]
            lines.append(f"{stage.name:<10} {system.name:<20} {calls:>7} {seconds:>12.4f}  {touched}{idle}")
    lines += ["", "SOLVE calls FORCES itself; its seconds include theirs.", "", "entities"]
    for entity, components in sorted(world.store):
        shown = ", ".join(cls.__name__ for cls in components)
        sizes = ", ".join(f"{symbol} = {size}" for symbol, (size, _) in sorted(world.store.sizes(entity).items()))
        lines.append(f"  {world.store.names[entity]}: {shown}" + (f" ({sizes})" if sizes else ""))
    for system in engine.schedule:
        text = getattr(system, "describe", None)
        if text is not None:
            lines += ["", text(world)]
    return "\n".join(lines)


def held_forces(world: World) -> list[str]:
    """Names of active force systems whose derivatives are unknown, so that implicit steps hold their force."""
    active = [s for s in world.engine.active(Stage.FORCES) if isinstance(s, ForceSystem)]
    return [s.name for s in active if not s.has_jacobian]
