"""The GLSL 3.30 programs of the OpenGL renderer; positions are relative to the camera's target (single precision)."""
from __future__ import annotations

from . import shaders_ground as ground
from .lighting import KNEE
from .scene import MAX_LIGHTS
from .shaders_ground import HEAD

LIGHTING = f"""
uniform vec4 light_position[{MAX_LIGHTS}];
uniform vec4 light_terms[{MAX_LIGHTS}];   // ambient, diffuse, specular, shininess
uniform int light_count;
uniform vec3 eye;

vec3 compress(vec3 colour) {{
    float largest = max(max(colour.r, colour.g), max(colour.b, 1e-6));
    float over = max(largest - {KNEE}, 0.0);
    float bent = min(largest, {KNEE}) + {1.0 - KNEE} * (1.0 - exp(-over / {1.0 - KNEE}));
    return colour * (bent / largest);
}}

// Brightness and gloss of a surface's front (xy) and back (zw): a light shines on one of them.
vec4 lit(vec3 normal, vec3 point) {{
    vec3 view = normalize(eye - point);
    vec4 sum = vec4(0.0);
    for (int k = 0; k < light_count; k++) {{
        vec3 towards = normalize(light_position[k].xyz - point * light_position[k].w);
        float cosine = dot(normal, towards);
        float mirrored = 2.0 * cosine * dot(normal, view) - dot(towards, view);
        vec2 add = vec2(light_terms[k].y * abs(cosine),
                        mirrored > 0.0 ? light_terms[k].z * pow(mirrored, light_terms[k].w) : 0.0);
        sum.xz += light_terms[k].x;
        if (cosine > 0.0) sum.xy += add; else sum.zw += add;
    }}
    return sum;
}}
"""

SURFACE_VERTEX = HEAD + """
uniform mat4 view, projection;
in vec3 position, normal, front, back;
out vec3 point, vertex_normal, front_colour, back_colour;
void main() {
    point = position; vertex_normal = normal; front_colour = front; back_colour = back;
    gl_Position = projection * view * vec4(position, 1.0);
}
"""
SURFACE_FRAGMENT = HEAD + LIGHTING + """
uniform bool smooth_normals;
in vec3 point, vertex_normal, front_colour, back_colour;
out vec4 pixel;
void main() {
    vec3 normal = vertex_normal;
    if (!smooth_normals || dot(normal, normal) < 1e-6) {
        normal = cross(dFdx(point), dFdy(point));   // faces the eye already
        if (!gl_FrontFacing) normal = -normal;
    }
    vec4 light = lit(normalize(normal), point);
    pixel = vec4(gl_FrontFacing ? compress(front_colour * light.x + light.y)
                                : compress(back_colour * light.z + light.w), 1.0);
}
"""

# A fine mesh is lit at its vertices: its triangles are a few pixels each, and software renderers shade whole blocks.
FINE_VERTEX = HEAD + LIGHTING + """
uniform mat4 view, projection;
in vec3 position, normal, front, back;
out vec3 front_lit, back_lit;
void main() {
    vec4 light = lit(normal, position);
    front_lit = compress(front * light.x + light.y); back_lit = compress(back * light.z + light.w);
    gl_Position = projection * view * vec4(position, 1.0);
}
"""
FINE_FRAGMENT = HEAD + """
in vec3 front_lit, back_lit;
out vec4 pixel;
void main() { pixel = vec4(gl_FrontFacing ? front_lit : back_lit, 1.0); }
"""

# Spheres, an instance each. Their depth is moved back, not their place: a coarse cloth on one is not pierced by it.
BALL_VERTEX = HEAD + LIGHTING + """
uniform mat4 view, projection;
in vec3 corner, middle, colour;
in float radius;
out vec3 colour_lit;
void main() {
    vec3 point = middle + radius * corner;
    vec4 light = lit(corner, point);
    colour_lit = compress(colour * light.x + light.y);
    vec4 place = view * vec4(point, 1.0);
    gl_Position = projection * place;
    vec4 moved = projection * (place - vec4(0.0, 0.0, 0.012 * radius, 0.0));
    gl_Position.z = moved.z / moved.w * gl_Position.w;
}
"""
PLAIN_FRAGMENT = HEAD + """
in vec3 colour_lit;
out vec4 pixel;
void main() { pixel = vec4(colour_lit, 1.0); }
"""

OFFSET = """
uniform mat4 projection;
uniform vec2 viewport;
vec3 placed(mat4 view, vec3 position, vec3 offset) {   // offset: in pixels where the position is seen
    float depth = (projection * view * vec4(position, 1.0)).w;
    return position + offset * max(depth, 0.0) * 2.0 / (projection[1][1] * viewport.y);
}
"""

# Marks: triangles in their own colour, unlit.
FLAT_VERTEX = HEAD + OFFSET + """
uniform mat4 view;
uniform float lift;
in vec3 position, offset, colour;
out vec3 colour_lit;
void main() {
    colour_lit = colour;
    vec4 place = view * vec4(placed(view, position, offset), 1.0);
    gl_Position = projection * place;
    vec4 ahead = projection * (place + vec4(0.0, 0.0, 20.0 * lift, 0.0));   // not cut in two by what they stand on
    if (ahead.w > 0.0) gl_Position.z = ahead.z / ahead.w * gl_Position.w;
}
"""

# A segment becomes a rectangle in pixels with room for round ends; the fragment shader cuts out the capsule.
LINE_VERTEX = HEAD + """
uniform mat4 view, projection;
uniform vec2 viewport;
uniform float width, near, lift;
in vec3 start, start_colour, end, end_colour;
noperspective out vec2 local;
noperspective out vec3 colour;
flat out float extent;
void main() {
    vec4 a = view * vec4(start, 1.0), b = view * vec4(end, 1.0);
    if (a.z > -near && b.z > -near) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
    if (a.z > -near) a = mix(b, a, (near + b.z) / (b.z - a.z));
    else if (b.z > -near) b = mix(a, b, (near + a.z) / (a.z - b.z));
    vec4 clip_a = projection * a, clip_b = projection * b;
    vec2 pixel_a = clip_a.xy / clip_a.w * viewport * 0.5, pixel_b = clip_b.xy / clip_b.w * viewport * 0.5;
    extent = length(pixel_b - pixel_a);
    vec2 along = extent > 1e-4 ? (pixel_b - pixel_a) / extent : vec2(1.0, 0.0);
    float side = (gl_VertexID & 1) == 0 ? -1.0 : 1.0, half_width = 0.5 * width + 1.0;
    bool last = gl_VertexID > 1;
    local = vec2(last ? extent + half_width : -half_width, side * half_width);
    colour = last ? end_colour : start_colour;
    vec2 place = pixel_a + along * local.x + vec2(-along.y, along.x) * local.y;
    vec4 ahead = projection * ((last ? b : a) + vec4(0.0, 0.0, lift, 0.0));
    gl_Position = vec4(place / (viewport * 0.5), ahead.z / ahead.w, 1.0);
}
"""
MARK_VERTEX = LINE_VERTEX
for _old, _new in (
        ("uniform mat4 view, projection;\nuniform vec2 viewport;", OFFSET + "uniform mat4 view;"),
        ("in vec3 start, start_colour, end, end_colour;",
         "in vec3 start, start_offset, start_colour, end, end_offset, end_colour;"),
        ("vec4(start, 1.0)", "vec4(placed(view, start, start_offset), 1.0)"),
        ("vec4(0.0, 0.0, lift, 0.0)", "vec4(0.0, 0.0, 20.0 * lift, 0.0)"),
        ("vec4(end, 1.0)", "vec4(placed(view, end, end_offset), 1.0)")):
    MARK_VERTEX = MARK_VERTEX.replace(_old, _new)

LINE_FRAGMENT = HEAD + """
uniform float width;
noperspective in vec2 local;
noperspective in vec3 colour;
flat in float extent;
out vec4 pixel;
void main() {
    float distance = length(vec2(local.x - clamp(local.x, 0.0, extent), local.y));
    float cover = clamp(0.5 * width - distance + 0.5, 0.0, 1.0) * min(width, 1.0);
    if (cover <= 0.0) discard;
    float across = min(abs(local.y) / (0.5 * width), 1.0);   // not the distance: joints would show
    float tube = 0.58 + 0.5 * sqrt(1.0 - across * across);
    pixel = vec4(min(colour * mix(1.0, tube, smoothstep(2.0, 5.0, width)), 1.0), cover);
}
"""

POINT_VERTEX = HEAD + """
uniform mat4 view, projection;
uniform float size, lift;
in vec3 position, colour;
out vec3 point_colour;
void main() {
    point_colour = colour;
    vec4 place = view * vec4(position, 1.0);
    gl_Position = projection * place;
    vec4 ahead = projection * (place + vec4(0.0, 0.0, 5.0 * lift, 0.0));
    if (ahead.w > 0.0) gl_Position.z = ahead.z / ahead.w * gl_Position.w;
    gl_PointSize = size + 2.0;
}
"""
POINT_FRAGMENT = HEAD + """
uniform float size;
in vec3 point_colour;
out vec4 pixel;
void main() {
    vec2 offset = (gl_PointCoord - 0.5) * (size + 2.0);
    float distance = length(offset);
    float cover = clamp(0.5 * size - distance + 0.5, 0.0, 1.0);
    if (cover <= 0.0) discard;
    vec2 across = offset / (0.5 * size);
    vec3 normal = vec3(across.x, -across.y, sqrt(max(1.0 - dot(across, across), 0.0)));
    float lit = 0.55 + 0.5 * max(dot(normal, vec3(-0.35, 0.6, 0.72)), 0.0);
    pixel = vec4(min(point_colour * lit, 1.0), cover);
}
"""

PROGRAMS = {
    "background": (ground.BACKGROUND_VERTEX, ground.BACKGROUND_FRAGMENT),
    "ground": (ground.GROUND_VERTEX, ground.GROUND_FRAGMENT),
    "cast": (ground.CAST_VERTEX, ground.CAST_FRAGMENT),
    "shadow": (ground.SHADOW_VERTEX, ground.SHADOW_FRAGMENT),
    "ball_shadow": (ground.BALL_SHADOW_VERTEX, ground.SHADOW_FRAGMENT),
    "blur": (ground.BACKGROUND_VERTEX, ground.BLUR_FRAGMENT),
    "patch": (ground.PATCH_VERTEX, ground.PATCH_FRAGMENT),
    "surface": (SURFACE_VERTEX, SURFACE_FRAGMENT),
    "fine": (FINE_VERTEX, FINE_FRAGMENT),
    "ball": (BALL_VERTEX, PLAIN_FRAGMENT),
    "mark": (MARK_VERTEX, LINE_FRAGMENT),
    "line": (LINE_VERTEX, LINE_FRAGMENT),
    "point": (POINT_VERTEX, POINT_FRAGMENT),
    "flat": (FLAT_VERTEX, PLAIN_FRAGMENT),
}
"""Name -> vertex and fragment shader."""
