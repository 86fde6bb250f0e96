"""What Drawing makes of a world."""
from components import Appearance, MassSpring, Material
from components.prefabs import rope
from framework import World
from systems import standard


def test_a_broken_spring_is_not_drawn() -> None:
    world = World(systems=standard())
    world.spawn(
        rope(segments=4), Material(total_mass=1.0), MassSpring(stretch=10.0, bend=1.0, rupture_strain=0.5),
        Appearance(draw="lines"), name="rope")  # fmt: skip
    assert len(world.scene().lines[0].segments) == 4
    nodes = world.value("rope.springs.nodes").tolist()
    world.set(f"rope.broken[{nodes.index([1, 2])},{nodes.index([0, 2])}]", True)
    assert world.scene().lines[0].segments.tolist() == [[0, 1], [2, 3], [3, 4]]
