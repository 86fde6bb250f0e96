"""Reading meshes: what each format gives, what the report says, and what repairs do."""
from __future__ import annotations

import base64
import re
import struct
import sys
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from components import Collider, Mass, MassSpring, Material, Springs
from components.meshes import read_mesh
from components.meshes.polygons import cut
from components.surface_mesh import border_count, signed_volume
from framework import World
from framework.errors import FieldError, MeshError, OutputError
from systems import standard
from tests.unit.mesh_files import CUBE, TETRAHEDRON, large_mesh, written

SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


def test_an_obj_goes_straight_into_a_world(tmp_path: Path) -> None:
    mesh = read_mesh(written(tmp_path, "cube.obj", CUBE), scale=0.1)
    world = World(systems=standard())
    body = world.spawn(mesh, Material(total_mass=2.0), MassSpring(stretch=100.0, bend=1.0), name="cube")
    assert world.get(body, Mass).m.sum() == pytest.approx(2.0)
    assert len(world.get(body, Springs).nodes) == 18 + 18  # edges with a diagonal a face; a hinge each
    assert mesh.report.closed and mesh.report.sound and mesh.report.volume == pytest.approx(1e-3)
    assert mesh.report.groups == ("bottom", "cube", "top", "sides")
    np.testing.assert_array_equal(mesh.geometry.groups["top"], [4, 5, 6, 7])
    assert world.value("cube.position[top].mean.z") == pytest.approx(0.1)
    world.step()


@pytest.mark.parametrize(("up", "heights"), [("y", [0, 2, 0]), ("z", [0, 0, 3]), ("x", [1, 0, 0])])
def test_up_turns_and_does_not_mirror(up: str, heights: list[float], tmp_path: Path) -> None:
    file = written(tmp_path, "a.obj", "v 1 0 0\nv 0 2 0\nv 0 0 3\nv 0 0 0\nf 4 2 1\nf 4 1 3\nf 1 2 3\nf 4 3 2\n")
    geometry = read_mesh(file, up=up).geometry
    np.testing.assert_allclose(geometry.points[:3, 1], heights)
    assert signed_volume(geometry.points, geometry.triangles) == pytest.approx(1.0)


def test_statements_that_obj_files_hold(tmp_path: Path) -> None:
    text = ("\ufeffmtllib a.mtl\r\nv 0 0 0 1.0\r\nv 1 0 0 0.5 0.5 0.5\r\nv 1 1 \\\r\n0\r\nv 0 1 0\r\nvt 0 0\r\nvt 1\r\n"
            "vn 0 0 1\r\nusemtl red # a comment\r\ns off\r\nf 1/1/1 2/2/1 3/1/1\r\nf 1//1 3//1 4//1\r\n"
            "l 1 2 3\r\ncurv 1 2\r\n")
    mesh = read_mesh(written(tmp_path, "A.OBJ", text.encode("utf-8")))
    assert mesh.geometry.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert mesh.geometry.edges.tolist() == [[0, 1], [1, 2]]
    assert mesh.geometry.uv is None
    assert mesh.report.notes == ("skipped 1 lines that begin with 'curv'",
                                 "texture coordinates left out: only 1 of 2 triangles have them")


def test_concave_polygons_are_cut_inside(tmp_path: Path) -> None:
    corners = [(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)]
    text = "".join(f"v {x} {y} 0\n" for x, y in corners) + "f 3 4 5 1 2\n"
    geometry = read_mesh(written(tmp_path, "w.obj", text)).geometry
    assert len(geometry.triangles) == 3
    p = geometry.points[geometry.triangles][:, :, :2]
    (ax, ay), (bx, by) = (p[:, 1] - p[:, 0]).T, (p[:, 2] - p[:, 0]).T
    areas = 0.5 * (ax * by - ay * bx)
    assert (areas > 0).all() and areas.sum() == pytest.approx(10.0)  # the shoelace formula


@pytest.mark.parametrize("seed", range(6))
def test_any_star_is_cut_into_its_area(seed: int) -> None:
    random = np.random.default_rng(seed)
    k = int(random.integers(5, 40))
    angle = np.sort(random.uniform(0, 2 * np.pi, k))
    flat = random.uniform(0.2, 1.0, (k, 1)) * np.column_stack([np.cos(angle), np.sin(angle)])
    turned, _ = np.linalg.qr(random.normal(size=(3, 3)))
    x, y = flat.T
    shoelace = 0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1))
    points = np.column_stack([flat, np.zeros(k)]) @ turned.T
    local, crossed = cut(points, np.arange(k)[None, :])
    p = points[local[0]]
    areas = 0.5 * np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1)
    if np.max(np.diff(np.append(angle, angle[0] + 2 * np.pi))) < np.pi:  # else the centre lies outside
        assert not crossed[0]
        assert areas.sum() == pytest.approx(abs(shoelace))


def test_seams_are_merged_and_keep_their_texture(tmp_path: Path) -> None:
    text = (SQUARE + "v 1 0 1e-9\nv 1 1 0\nv 2 0 0\nv 2 1 0\nv 9 9 9\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.5\n"
            "f 1/1 2/2 3/3 4/4\nf 5/5 7/2 8/3 6/4\n")
    mesh = read_mesh(written(tmp_path, "seam.obj", text))
    assert (mesh.report.merged, mesh.report.unused.tolist()) == (2, [9])
    assert len(mesh.geometry.points) == 6
    assert mesh.geometry.uv.shape == (4, 3, 2)
    np.testing.assert_array_equal(mesh.geometry.uv[2, 0], [0.5, 0.5])
    assert border_count(mesh.geometry.points, mesh.geometry.triangles) == 6
    assert len(read_mesh(tmp_path / "seam.obj", merge=0).geometry.points) == 7


DEFECTS: list[tuple[str, str, str, Any, str]] = [
    ("duplicates", SQUARE + "f 1 2 3\nf 1 3 4\nf 3 1 2\n", "faces given twice (1): 3 (line 7)", [3],
     "left out 1 triangles given twice"),
    ("degenerate", SQUARE + "v 2 0 0\nf 1 2 3\nf 1 5 2\n", "faces without area (1): 2 (line 7)", [2],
     "left out 1 triangles without area"),
    ("non_manifold", SQUARE + "v 0 0 1\nf 1 2 3\nf 2 1 4\nf 1 2 5\n",
     "edges of more than two faces, between vertices (1): 1 and 2", [[1, 2]],
     "left out 1 triangles at edges of more than two"),
    ("pinched", SQUARE + "v 3 1 0\nv 2 2 0\nf 1 2 3\nf 3 5 6\n",
     "vertices where parts touch in a point only (1): 3", [3], ""),
    ("flipped", CUBE.replace("f 5 6 7 8", "f 8 7 6 5"), "faces turned against their neighbours (1): 2 (line 13)",
     [2], "turned 2 triangles to agree with their neighbours"),
    ("inside_out", TETRAHEDRON.replace("f 1 3 2", "f 1 2 3").replace("f 1 2 4", "f 1 4 2").replace("f 2 3 4", "f 4 3 2")
     .replace("f 1 4 3", "f 3 4 1"), "faces of closed parts that look inwards (4): 1 (line 6)", [1, 2, 3, 4],
     "turned 4 triangles of closed parts outwards"),
]


@pytest.mark.parametrize(("name", "text", "said", "numbers", "done"), DEFECTS, ids=[row[0] for row in DEFECTS])
def test_defects_are_named_and_repaired(
    name: str, text: str, said: str, numbers: Any, done: str, tmp_path: Path
) -> None:
    file = written(tmp_path, "bad.obj", text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        mesh = read_mesh(file)
    assert mesh.report.defects[name] == numbers and not mesh.report.sound
    assert said in str(mesh.report)
    others = {key for key, found in mesh.report.defects.items() if found} - {name, "holes"}
    assert not others
    fixed = read_mesh(file, repair=True)
    assert "".join(fixed.report.repaired) == done
    if done:
        assert read_mesh(file, repair=name).report.repaired == (done,)
        assert not any(len(found) for key, found in again(fixed, tmp_path).items() if key != "holes")


def again(mesh: Any, folder: Path) -> dict[str, list]:
    """The defects of a mesh that is written and read once more."""
    text = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in mesh.geometry.points.tolist())
    text += "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in mesh.geometry.triangles.tolist())
    return read_mesh(written(folder, "again.obj", text)).report.defects


def test_what_is_wrong_is_warned_of(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"bad.obj: faces given twice \(1\): 3 .*repair=True"):
        read_mesh(written(tmp_path, "bad.obj", DEFECTS[0][1]))
    with pytest.warns(UserWarning, match=r"348 x 174 x 360 \(units of the file; as metres this is probably too large: "
                                         r"pass scale=0.001\?\)"):
        read_mesh(written(tmp_path, "mm.obj", "v 0 0 0\nv 348 174 0\nv 0 0 360\nf 1 2 3\n"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_mesh(tmp_path / "mm.obj", scale=0.001)


def test_a_moebius_strip_has_one_side(tmp_path: Path) -> None:
    places = [(t, s, 1 + s * np.cos(t / 2)) for t in np.arange(12) * np.pi / 6 for s in (-0.3, 0.3)]
    strip = "".join(f"v {r * np.cos(t)} {s * np.sin(t / 2)} {r * np.sin(t)}\n" for t, s, r in places)
    rows = [(2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2) for i in range(11)] + [(22, 23, 0, 1)]
    text = strip + "".join("f " + " ".join(str(i + 1) for i in row) + "\n" for row in rows)
    mesh = read_mesh(written(tmp_path, "moebius.obj", text))
    assert len(mesh.report.defects["one_sided"]) == 12 and not mesh.report.sound


def test_holes_are_closed_by_name_only(tmp_path: Path) -> None:
    file = written(tmp_path, "open.obj", CUBE.replace("f 5 6 7 8\n", ""))
    assert read_mesh(file, repair=True).report.defects["holes"] == [[5, 6, 7, 8]]
    mesh = read_mesh(file, repair=("holes",))
    assert mesh.report.closed and mesh.report.volume == pytest.approx(1.0)
    assert mesh.report.repaired[0].startswith("closed 1 holes by 2 triangles")


def test_faces_with_equal_corners_are_refused_with_a_way_out(tmp_path: Path) -> None:
    file = written(tmp_path, "c.obj", SQUARE + "f 1 2 3\nf 1 1 3\n")
    with pytest.raises(MeshError, match=r"c.obj: faces must have three different corners, .* in 1: 2 \(line 6\)"):
        read_mesh(file)
    assert read_mesh(file, repair="collapsed").geometry.triangles.tolist() == [[0, 1, 2]]


def test_groups_get_names_that_paths_can_hold(tmp_path: Path) -> None:
    text = SQUARE + "g left.part [1] 12\nf 1 2 3\ng mean\nf 1 3 4\n"
    report = read_mesh(written(tmp_path, "g.obj", text)).report
    assert report.groups == ("left_part", "_1_", "group_12", "group_mean")
    assert "group 'left.part' is called 'left_part'" in report.notes


def test_stl_in_both_forms(tmp_path: Path) -> None:
    corners = np.array([[[0, 0, 0], [0, 1, 0], [1, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 1]],
                        [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 0, 0], [0, 0, 1], [0, 1, 0]]], "<f4")
    body = b"".join(struct.pack("<3f", 0, 0, 0) + c.tobytes() + b"\0\0" for c in corners)
    binary = written(tmp_path, "b.stl", b"solid of another program".ljust(80) + struct.pack("<I", 4) + body)
    lines = ["solid a"]
    for triangle in corners.tolist():
        lines += ["facet normal 0 0 0", "outer loop", *(f"vertex {x} {y} {z}" for x, y, z in triangle), "endloop",
                  "endfacet"]
    text = written(tmp_path, "t.stl", "\n".join([*lines, "endsolid a"]))
    for file in (binary, text):
        report = read_mesh(file).report
        assert report.closed and report.merged == 8 and report.volume == pytest.approx(1 / 6)


def meshio_file(folder: Path, name: str, **more: Any) -> Path:
    """Two tetrahedra written by meshio itself."""
    meshio = pytest.importorskip("meshio")
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    cells = more.pop("cells", [("tetra", [[0, 1, 2, 3], [1, 4, 2, 3]])])
    meshio.write(folder / name, meshio.Mesh(points, cells, **more.pop("mesh", {})), **more)
    return folder / name


@pytest.mark.parametrize(("name", "more"), [
    ("a.vtu", {}), ("b.vtu", {"binary": False}), ("a.vtk", {}), ("b.vtk", {"binary": False}),
    ("a.msh", {"file_format": "gmsh22"}), ("b.msh", {"file_format": "gmsh", "binary": False}), ("a.inp", {}),
])
def test_solids_get_their_surface(name: str, more: dict[str, Any], tmp_path: Path, capsys: Any) -> None:
    mesh = read_mesh(meshio_file(tmp_path, name, **more))
    capsys.readouterr()
    report = mesh.report
    assert (report.tetrahedra, report.triangles, report.closed) == (2, 6, True)
    assert report.volume == pytest.approx(1 / 6 + 1 / 3)
    world = World(systems=standard())
    body = world.spawn(mesh, Material(mass_density=6.0), MassSpring(stretch=10.0))
    assert world.get(body, Mass).m.sum() == pytest.approx(3.0)
    assert len(world.get(body, Springs).nodes) == 9


@pytest.mark.parametrize("word", ["vertex_index", "vertex_indices"])
@pytest.mark.parametrize("binary", [False, True])
def test_ply_of_quads_and_triangles(word: str, binary: bool, tmp_path: Path) -> None:
    cells = [("quad", [[0, 1, 4, 2]])] if binary else [("quad", [[0, 1, 4, 2]]), ("triangle", [[0, 3, 1]])]
    file = meshio_file(tmp_path, "a.ply", cells=cells, binary=binary)
    data = file.read_bytes()
    file.write_bytes(data.replace(b"vertex_indices", word.encode()))
    mesh = read_mesh(file)
    assert len(mesh.geometry.triangles) == (2 if binary else 3)
    assert mesh.report.unused.tolist() == ([4] if binary else [])


def test_gmsh_physical_groups_and_abaqus_sets_become_groups(tmp_path: Path) -> None:
    msh = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
2 7 "held side"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
2
1 2 2 7 1 1 2 3
2 4 2 1 1 1 2 3 4
$EndElements
"""
    geometry = read_mesh(written(tmp_path, "a.msh", msh)).geometry
    assert geometry.groups["held_side"].tolist() == [0, 1, 2] and len(geometry.tetrahedra) == 1
    inp = ("*NODE\n1, 0,0,0\n2, 1,0,0\n3, 0,1,0\n4, 0,0,1\n*ELEMENT, TYPE=C3D4, ELSET=all\n1, 1,2,3,4\n"
           "*NSET, NSET=foot\n1, 3\n")
    geometry = read_mesh(written(tmp_path, "a.inp", inp)).geometry
    assert geometry.groups["foot"].tolist() == [0, 2] and len(geometry.groups["all"]) == 4


NAN_PLY = ("ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
           "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n")
BAD: dict[str, tuple[str, str | bytes | None, dict[str, Any], str]] = {
    "missing": ("cube.obj", None, {}, r"[^:]*cube.obj: there is no such file$"),
    "folder": ("", None, {}, r"must be a mesh file, got a folder"),
    "empty": ("a.obj", "", {}, r"a.obj: must hold a mesh, got an empty file"),
    "unknown": ("a.blend", "x", {}, r"known kind \(.obj, .stl, .ply, .vtk, .vtu, .msh, .inp\), got '.blend'"),
    "no faces": ("a.obj", "# nothing\n", {}, r"must hold faces, tetrahedra or lines, got none"),
    "only points": ("a.obj", SQUARE, {}, r"must hold faces, tetrahedra or lines, got 4 points only"),
    "up": ("a.obj", CUBE, {"up": "q"}, r"read_mesh: up must be one of y, z, x, got 'q'"),
    "scale 0": ("a.obj", CUBE, {"scale": 0}, r"read_mesh: scale must be positive, got 0.0"),
    "scale nan": ("a.obj", CUBE, {"scale": float("nan")}, r"read_mesh: scale must be finite"),
    "scale huge": ("a.obj", CUBE, {"scale": 1e300}, r"vertex 2: coordinates must be at most 1e\+12 m after scale"),
    "merge": ("a.obj", CUBE, {"merge": -1}, r"read_mesh: merge must be zero or positive"),
    "merge large": ("a.obj", "".join(f"v {i} 0 0\n" for i in range(100)) + "f 1 2 3\n", {"merge": 1},
                    r"pairs of 100 vertices are closer than the tolerance of merging"),
    "repair": ("a.obj", CUBE, {"repair": ("hole",)}, r"there is no repair 'hole'; did you mean 'holes'\?"),
    "repair type": ("a.obj", CUBE, {"repair": 3}, r"repair must be True, False or names"),
    "nan": ("a.obj", "v 0 0 0\nv nan 0 0\n", {}, r"a.obj, line 2: v must be finite numbers, got 'nan 0.0 0.0'"),
    "word": ("a.obj", "v 0 0 0\nv 1 two 0\n", {}, r"a.obj, line 2: v must be numbers, got '1 two 0'"),
    "2D points": ("a.obj", "v 0 0\n", {}, r"a.obj, line 1: v must have at least 3 numbers, got '0 0'"),
    "index": ("a.obj", SQUARE + "f 1 2 9\n", {}, r"a.obj, line 5: f must name vertices from 1 to 4, got '9'"),
    "index 0": ("a.obj", SQUARE + "f 0 1 2\n", {}, r"line 5: vertices of f must be whole numbers from 1, or from -4"),
    "index -5": ("a.obj", SQUARE + "f -5 1 2\n", {}, r"line 5: .* got '-5'"),
    "uv index": ("a.obj", SQUARE + "f 1/1 2/1 3/1\n", {}, r"line 5: f must name texture vertices from 1 to 0, got '1'"),
    "short face": ("a.obj", SQUARE + "f 1 2\n", {}, r"line 5: f must have at least 3 corners, got '1 2'"),
    "utf-16": ("a.obj", CUBE.encode("utf-16"), {}, r"must be UTF-8 or ASCII text, got UTF-16"),
    "binary": ("a.obj", b"v 0 0 0\n\x00\x01\x02", {}, r"byte 8: an OBJ file must be text, got a binary file"),
    "large file": ("a.obj", CUBE, {"largest_file": 10}, r"may have 10 bytes, got \d+; pass largest_file=\d+"),
    "many points": ("a.obj", CUBE, {"most_points": 7}, r"may have 7 vertices, got 8; pass most_points=8"),
    "no points": ("a.obj", CUBE, {"most_points": "x"}, r"read_mesh: most_points must be a whole number, got 'x'"),
    "stl count": ("a.stl", b"x" * 80 + struct.pack("<I", 2**32 - 1) + b"y" * 50, {}, r"a binary STL of 4294967295"),
    "stl garbage": ("a.stl", b"garbage", {}, r"a text STL must begin with 'solid', got b'garbage'"),
    "stl words": ("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 1 2\n", {}, r"line 4: vertex must have"),
    "stl end": ("a.stl", "solid a\nfacet normal 0 0 1\n", {}, r"ends within a facet: 'outer loop' must come"),
    "stl nothing": ("a.stl", "solid a\nendsolid a\n", {}, r"must hold faces, tetrahedra or lines, got none"),
    "ply nan": ("a.ply", NAN_PLY, {}, r"a.ply: vertex 2: coordinates must be finite"),
    "ply count": ("a.ply", NAN_PLY.replace("face 1", "face 99999999"), {}, r"byte \d+: the count must fit in the file"),
    "ply header": ("a.ply", "ply\nformat ascii 1.0\n", {}, r"must end with a line 'end_header', got none"),
    "ply index": ("a.ply", NAN_PLY.replace("nan", "0").replace("3 0 1 2", "3 0 1 7"), {},
                  r"a.ply: face 1: must name vertices from 0 to 2, got 7"),
    "vtu": ("a.vtu", "<VTKFile>\n<Piece", {}, r"a.vtu: must be a sound .vtu file; meshio could not read it"),
    "vtu entity": ("a.vtu", "<!DOCTYPE a [<!ENTITY b 'c'>]><VTKFile/>", {}, r"must not define entities"),
    "msh count": ("a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n99999999999\n", {}, r"the count must fit"),
    "no path": ("\0.obj", None, {}, r"cannot be found|no such file"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_and_arguments_give_one_message(case: str, tmp_path: Path, capfd: Any) -> None:
    name, content, arguments, message = BAD[case]
    file = tmp_path / name if content is None else written(tmp_path, name, content)
    with pytest.raises(FieldError) as caught:
        read_mesh(file, **arguments)
    assert re.search(message, str(caught.value)), caught.value
    assert str(caught.value).count(str(file)) <= 1
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("path", [None, 3, "", b"a.obj"])
def test_a_path_is_a_text_or_a_path(path: Any) -> None:
    with pytest.raises(MeshError, match="path must be the name of a file"):
        read_mesh(path)


def test_without_meshio_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "meshio", None)
    with pytest.raises(OutputError, match=r"reading .ply files needs meshio, which is not installed .* pip install"):
        read_mesh(written(tmp_path, "a.ply", NAN_PLY))
    read_mesh(written(tmp_path, "a.obj", CUBE))


TETRAHEDRON_VTU = """<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian" header_type="UInt32"
 compressor="vtkZLibDataCompressor"><UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="1">
<Points><DataArray type="Float64" Name="Points" NumberOfComponents="3" format="binary">{}</DataArray></Points><Cells>
<DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 3</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">4</DataArray>
<DataArray type="Int32" Name="types" format="ascii">10</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>
"""


@pytest.mark.skipif(not Path("/proc/self/statm").is_file(), reason="memory is bounded on Linux only")
def test_small_files_that_unpack_to_gigabytes_are_stopped(tmp_path: Path) -> None:
    """64 zlib blocks of 64 MB of zeros; a Gmsh file whose table of nodes would have 2 000 000 000 entries."""
    size, count = 2**26, 64
    block = zlib.compress(bytes(size), 9)
    header = struct.pack(f"<{3 + count}I", count, size, 0, *[len(block)] * count)
    packed = (base64.b64encode(header) + base64.b64encode(block * count)).decode()
    tags = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
2000000000 0 0 1
$EndNodes
$Elements
1
1 4 2 1 1 1 2 3 2000000000
$EndElements
"""
    for file in (written(tmp_path, "zeros.vtu", TETRAHEDRON_VTU.format(packed)), written(tmp_path, "tags.msh", tags)):
        with pytest.raises(MeshError, match="MemoryError"):
            read_mesh(file)


def test_a_mesh_is_a_collider_too(tmp_path: Path) -> None:
    world = World(systems=standard())
    world.spawn(Collider.mesh(read_mesh(written(tmp_path, "a.obj", TETRAHEDRON))), name="stone")
    assert len(world.value("stone.triangles")) == 4


@pytest.mark.parametrize(("name", "points", "closed"), [
    ("spot.obj", 2930, True), ("stanford-bunny.obj", 34834, False), ("woody.obj", 694, False)])
def test_meshes_of_research(name: str, points: int, closed: bool) -> None:
    mesh = read_mesh(large_mesh(name), scale=0.001 if name == "woody.obj" else 1.0)
    assert (mesh.report.points, mesh.report.closed, mesh.report.sound) == (points, closed, True)
    world = World(systems=standard())
    world.spawn(mesh, Material(areal_density=1.0), MassSpring(stretch=10.0, bend=1.0))
    world.step()
