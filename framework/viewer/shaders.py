"""The GLSL 3.30 programs of the OpenGL renderer; positions are relative to the camera's target (single precision)."""
from __future__ import annotations

from .lighting import KNEE
from .scene import MAX_LIGHTS

HEAD = "#version 330 core\n"

LIGHTING = f"""
uniform vec4 light_position[{MAX_LIGHTS}];
uniform vec4 light_terms[{MAX_LIGHTS}];   // mean ambient, diffuse, specular, shininess
uniform int light_count;
uniform vec3 eye;

vec3 compress(vec3 colour) {{
    float largest = max(max(colour.r, colour.g), max(colour.b, 1e-6));
    float over = max(largest - {KNEE}, 0.0);
    float bent = min(largest, {KNEE}) + {1.0 - KNEE} * (1.0 - exp(-over / {1.0 - KNEE}));
    return colour * (bent / largest);
}}

vec3 shade(vec3 colour, vec3 normal, vec3 point) {{
    vec3 view = normalize(eye - point);
    float factor = 0.0, gloss = 0.0;
    for (int k = 0; k < light_count; k++) {{
        vec3 towards = normalize(light_position[k].xyz - point * light_position[k].w);
        float cosine = dot(normal, towards);
        factor += light_terms[k].x;
        if (cosine > 0.0) {{
            factor += light_terms[k].y * cosine;
            float mirrored = max(dot(reflect(-towards, normal), view), 0.0);
            gloss += light_terms[k].z * pow(mirrored, light_terms[k].w);
        }}
    }}
    return compress(colour * factor + gloss);
}}
"""

BACKGROUND_VERTEX = HEAD + """
out float height;
void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    height = 0.5 * corner.y + 0.5;
    gl_Position = vec4(corner, 0.0, 1.0);
}
"""
BACKGROUND_FRAGMENT = HEAD + """
uniform vec3 top, bottom;
in float height;
out vec4 pixel;
void main() { pixel = vec4(mix(bottom, top, height), 1.0); }
"""

# `bias` moves the depth, not the place: balls recede, so that a coarse cloth lying on one is not pierced by it.
SURFACE_VERTEX = HEAD + """
uniform mat4 view, projection;
in vec3 position, normal, front, back;
in float bias;
out vec3 point, vertex_normal, front_colour, back_colour;
void main() {
    point = position; vertex_normal = normal; front_colour = front; back_colour = back;
    vec4 place = view * vec4(position, 1.0);
    gl_Position = projection * place;
    vec4 moved = projection * (place - vec4(0.0, 0.0, bias, 0.0));
    gl_Position.z = moved.z / moved.w * gl_Position.w;
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
    normal = normalize(gl_FrontFacing ? normal : -normal);
    pixel = vec4(shade(gl_FrontFacing ? front_colour : back_colour, normal, point), 1.0);
}
"""

# A fine mesh is lit at its vertices: its triangles are a few pixels each, and software renderers shade whole blocks.
FINE_VERTEX = HEAD + LIGHTING + """
uniform mat4 view, projection;
in vec3 position, normal, front, back;
in float bias;
out vec3 front_lit, back_lit;
void main() {
    front_lit = shade(front, normal, position); back_lit = shade(back, -normal, position);
    vec4 place = view * vec4(position, 1.0);
    gl_Position = projection * place;
    vec4 moved = projection * (place - vec4(0.0, 0.0, bias, 0.0));
    gl_Position.z = moved.z / moved.w * gl_Position.w;
}
"""
FINE_FRAGMENT = HEAD + """
in vec3 front_lit, back_lit;
out vec4 pixel;
void main() { pixel = vec4(gl_FrontFacing ? front_lit : back_lit, 1.0); }
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
    vec4 ahead = projection * (place + vec4(0.0, 0.0, lift, 0.0));
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

GROUND_VERTEX = HEAD + """
uniform mat4 view, projection;
uniform vec3 centre, first, second;
uniform float radius, bias;
out vec2 place;
void main() {
    place = radius * vec2((gl_VertexID & 1) == 0 ? -1.0 : 1.0, gl_VertexID < 2 ? -1.0 : 1.0);
    vec4 seen = view * vec4(centre + first * place.x + second * place.y, 1.0);
    gl_Position = projection * seen;
    vec4 moved = projection * (seen - vec4(0.0, 0.0, bias, 0.0));
    if (moved.w > 0.0) gl_Position.z = moved.z / moved.w * gl_Position.w;
}
"""
GROUND_FRAGMENT = HEAD + """
uniform sampler2D shadow;
uniform vec3 colour;
uniform vec2 offset;
uniform float radius, cell, reach, strength;
in vec2 place;
out vec4 pixel;
void main() {
    float fade = 1.0 - smoothstep(0.15, 1.0, length(place) / radius);
    if (fade <= 0.0) discard;
    vec2 square = (place + offset) / cell;
    vec2 w = max(abs(dFdx(square)), abs(dFdy(square))) + 1e-6;   // the exact mean of the checks below the pixel
    vec2 mean = 2.0 * (abs(fract((square - 0.5 * w) * 0.5) - 0.5) - abs(fract((square + 0.5 * w) * 0.5) - 0.5)) / w;
    float check = 0.5 - 0.5 * mean.x * mean.y;
    vec2 at = place / reach * 0.5 + 0.5;
    float dark = texture(shadow, at).r;
    pixel = vec4(colour * mix(0.94, 1.06, check) * (1.0 - 0.5 * dark), strength * fade);
}
"""

# Bodies seen along the ground's normal: dark where something is near above.
SHADOW_VERTEX = HEAD + """
uniform vec3 centre, first, second, upwards;
uniform float reach;
in vec3 position;
out float height;
void main() {
    vec3 from = position - centre;
    height = dot(from, upwards) / reach;
    gl_Position = vec4(dot(from, first) / reach, dot(from, second) / reach, 0.0, 1.0);
}
"""
SHADOW_FRAGMENT = HEAD + """
in float height;
out vec4 pixel;
void main() {
    if (height < -0.02) discard;
    pixel = vec4(exp(-2.2 * max(height, 0.0)), 0.0, 0.0, 1.0);
}
"""

BLUR_FRAGMENT = HEAD + """
uniform sampler2D shadow;
out vec4 pixel;
void main() {
    vec2 size = vec2(textureSize(shadow, 0));
    float total = 0.0, weights = 0.0;
    for (int i = -2; i <= 2; i++) for (int j = -2; j <= 2; j++) {
        float weight = exp(-0.3 * float(i * i + j * j));
        total += weight * texture(shadow, (2.0 * gl_FragCoord.xy + 2.0 * vec2(i, j)) / size).r;
        weights += weight;
    }
    pixel = vec4(total / weights, 0.0, 0.0, 1.0);
}
"""
