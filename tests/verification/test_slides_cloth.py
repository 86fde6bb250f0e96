"""The lecture slides' cloth in `demos/drape.py` against the states of an independent port of the algorithm.

Coordinates are the slides': (x, y, z) with z up is (x, z, y) here. sum and sumsq are over the positions of all
particles, zmin is the lowest height, vmax the largest speed, Q the length of the sum of the velocities of the particles
that move; (i, j) is the position of a particle.

Tolerances on positions: the motion amplifies rounding. Summing in the reverse order changes positions by 6e-14 at step
100, 7e-12 at 200 and 5e-9 at 300; the tolerances are about a thousand times that. Speeds are positions' changes over
dt = 0.03. Sums over 4900 particles get that many times the tolerance, and their own rounding in another order of
summation: at most 4900 eps = 1e-12 relative.
"""
import numpy as np
import pytest

from demos import drape
from framework import World

TOLERANCE = {1: 1e-12, 10: 1e-11, 50: 1e-10, 100: 1e-10, 150: 1e-9, 200: 1e-8, 250: 1e-7}
STATES = {
    1: {
        "sum": (169050, 169050, 979978.2649999332),
        "sumsq": 211656606.09782216,
        "zmin": 199.9955,
        "vmax": 0.15,
        "Q": 724.4999999999359,
        (0, 0): (0, 0, 199.9955),
        (0, 35): (0, 35, 199.9955),
        (35, 35): (35, 35, 199.9955),
        (35, 0): (35, 0, 199.9955),
        (69, 35): (69, 35, 200),
        (68, 69): (68, 69, 199.9955),
    },
    10: {
        "sum": (169051.63071596916, 169050.00000000003, 978872.2604174183),
        "sumsq": 211214685.58561942,
        "zmin": 199.75790506551823,
        "vmax": 1.4513488359009517,
        "Q": 6636.059290652362,
        (0, 0): (5.488734349634506e-06, 5.488734349634506e-06, 199.75790506551823),
        (0, 35): (5.007409733745794e-06, 35, 199.76147313409774),
        (35, 35): (35, 35, 199.7667723040648),
        (35, 0): (35, 5.007409733745794e-06, 199.76147313409774),
        (69, 35): (69, 35, 200),
        (68, 69): (68.01279003327325, 68.99437016800911, 199.7599939579886),
    },
    50: {
        "sum": (169810.6571770978, 169050, 960062.6499315149),
        "sumsq": 203862100.0427549,
        "zmin": 194.9053680615766,
        "vmax": 6.2006976861050305,
        "Q": 21801.663209405146,
        (0, 0): (0.12515932170400026, 0.12515932170400026, 194.9053680615766),
        (0, 35): (0.1219706821865649, 35.00000000000201, 195.25853124522592),
        (35, 35): (35.00000017231649, 35.00000000000787, 195.76002927703948),
        (35, 0): (35.000000045705974, 0.12197070615532984, 195.25853125832305),
        (69, 35): (69, 35, 200),
        (68, 69): (68.32686006230554, 68.79150630486888, 198.9838244737067),
    },
    100: {
        "sum": (173749.57729261837, 169050.00000000006, 922774.1799377153),
        "sumsq": 189923017.58932045,
        "zmin": 184.41105577040972,
        "vmax": 7.9982484926085995,
        "Q": 26500.04326749491,
        (0, 0): (1.0712845492954386, 1.0712845492895904, 184.41105577040977),
        (0, 35): (1.3597547915794852, 35.001118830864094, 185.28861349266447),
        (35, 35): (35.77943968216391, 34.99670358495951, 187.06286939626028),
        (35, 0): (35.85381438550795, 1.456599745091159, 185.38796489682167),
        (69, 35): (69, 35, 200),
        (68, 69): (68.37797602320283, 68.56712586588701, 198.76245362519148),
    },
    150: {
        "sum": (181037.6606216298, 169049.9999999999, 884256.2918646538),
        "sumsq": 176331092.27400702,
        "zmin": 172.78280306408053,
        "vmax": 8.48855143901852,
        "Q": 25306.76905297026,
        (0, 0): (1.3752244498141977, 1.2822610050305812, 172.78280306408053),
        (0, 35): (2.158292345449097, 34.99743634549511, 173.88289891380708),
        (35, 35): (37.9724835074049, 34.983871992301694, 176.74253816444931),
        (35, 0): (38.5731093089467, 3.232876150148963, 174.20741697844264),
        (69, 35): (69, 35, 200),
        (68, 69): (68.38829044844482, 68.38811764494851, 198.6379730020315),
    },
    200: {
        "sum": (191016.8895690151, 169049.99999999994, 849821.7081618769),
        "sumsq": 164969154.97932684,
        "zmin": 161.06649501963724,
        "vmax": 8.752243195777174,
        "Q": 22471.655780992838,
        (0, 0): (3.9916193234752892, 2.1839542881434557, 161.0664950196374),
        (0, 35): (3.3669839065344322, 34.987463046105546, 162.77593636601586),
        (35, 35): (41.113995084552805, 34.951273870323156, 167.79381606730942),
        (35, 0): (42.658489788368165, 4.881669907921172, 164.43721083517636),
        (69, 35): (69, 35, 200),
        (68, 69): (68.43738949087422, 68.23513274616867, 198.54169845913157),
    },
    250: {
        "sum": (203069.6586099265, 169050.0000000001, 820800.079343784),
        "sumsq": 156194173.48233643,
        "zmin": 148.64711184753952,
        "vmax": 9.18790147768858,
        "Q": 19578.841731132765,
        (0, 0): (8.256630749367611, 3.9833134718238106, 148.64711184754879),
        (0, 35): (6.401262678554858, 34.98255143991609, 151.8140935321644),
        (35, 35): (43.90231853960564, 34.935166470695364, 163.16838625207814),
        (35, 0): (46.21289142291255, 6.03929159065782, 159.84688324246957),
        (69, 35): (69, 35, 200),
        (68, 69): (68.46215946760232, 68.14805604724168, 198.48553449137611),
    },
}  # fmt: skip


def slides_positions(world: World) -> np.ndarray:
    return world.value("cloth.position").reshape(70, 70, 3)[..., [0, 2, 1]]


@pytest.fixture(scope="module")
def states() -> dict[int, tuple[np.ndarray, float, float]]:
    """Step -> (positions (70, 70, 3), largest speed, |sum of velocities|)."""
    world, found = drape.build(), {}
    for step in STATES:
        world.run(frames=step - world.frame)
        found[step] = (
            slides_positions(world), world.value("cloth.velocity.norm.max"), world.value("cloth.sum_of_velocities")
        )  # fmt: skip
    return found


@pytest.mark.parametrize("step", STATES)
def test_states(states: dict[int, tuple[np.ndarray, float, float]], step: int) -> None:
    (x, fastest, total), expected, tolerance = states[step], STATES[step], TOLERANCE[step]
    n = x.shape[0] * x.shape[1]
    for key, value in expected.items():
        if isinstance(key, tuple):
            np.testing.assert_allclose(x[key], value, rtol=0, atol=tolerance, err_msg=str(key))
    assert x[..., 2].min() == pytest.approx(expected["zmin"], rel=0, abs=tolerance)
    np.testing.assert_allclose(x.sum(axis=(0, 1)), expected["sum"], rtol=1e-12, atol=n * tolerance)
    square = 2 * np.abs(x).sum() * tolerance
    assert (x * x).sum() == pytest.approx(expected["sumsq"], rel=1e-12, abs=square)
    assert fastest == pytest.approx(expected["vmax"], rel=1e-12, abs=2 * tolerance / 0.03)
    assert total == pytest.approx(expected["Q"], rel=1e-12, abs=2 * n * tolerance / 0.03)


def test_contact_and_end() -> None:
    """First contact at step 283; the velocities of those that move first add up to <= 100 after it at step 622.

    Held particles keep their velocity growing: 924 at the end. By then a disturbance of 1e-12 has grown to 3e-5.
    """
    world = drape.build()
    world.run(frames=282)
    assert world.value("cloth.contact") == 0
    world.step()
    assert world.value("cloth.contact") == 283
    world.run(frames=338)
    assert world.frame == 621 and world.value("cloth.end") == 0
    world.step()
    assert world.value("cloth.end") == 622
    assert world.value("cloth.sum_of_velocities") == pytest.approx(83.87, abs=0.1)
    assert round(world.value("cloth.velocity.norm.max")) == 924
    end = world.value("cloth.position")
    world.step(3)
    np.testing.assert_array_equal(world.value("cloth.position"), end)
