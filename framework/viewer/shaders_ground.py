"""The GLSL programs of backgrounds, grounds, shadows and texts; positions are relative to the camera's target."""
from __future__ import annotations

HEAD = "#version 330 core\n"

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

# The disc is a fan around its centre. Its depth, not its place, is moved back: what lies on it is not pierced by
# it. The same for each vertex, also for those behind the eye, or the depths of two discs in one plane would differ.
GROUND_VERTEX = HEAD + """
uniform mat4 view, projection;
uniform vec3 centre, first, second;
uniform float radius, recede;
out vec2 place;
void main() {
    float angle = 6.2831853 / 64.0 * float(gl_VertexID - 1);
    place = gl_VertexID == 0 ? vec2(0.0) : radius * 1.0013 * vec2(cos(angle), sin(angle));
    vec4 seen = view * vec4(centre + first * place.x + second * place.y, 1.0);
    gl_Position = projection * seen;
    gl_Position.z += 1.5 * recede * gl_Position.w;
}
"""
GROUND_FRAGMENT = HEAD + """
uniform vec3 colour;
uniform vec2 offset;
uniform float radius, cell, strength;
in vec2 place;
out vec4 pixel;
void main() {
    float fade = 1.0 - smoothstep(0.15, 1.0, length(place) / radius);
    vec2 square = (place + offset) / cell;
    vec2 w = max(abs(dFdx(square)), abs(dFdy(square))) + 1e-6;   // the exact mean of the checks below the pixel
    vec2 mean = 2.0 * (abs(fract((square - 0.5 * w) * 0.5) - 0.5) - abs(fract((square + 0.5 * w) * 0.5) - 0.5)) / w;
    pixel = vec4(colour * (1.0 - 0.06 * mean.x * mean.y), strength * fade);
}
"""

# The part of a ground that shadows may reach, darkened by their texture.
CAST_VERTEX = HEAD + """
uniform mat4 view, projection;
uniform vec3 centre, first, second;
uniform vec4 bounds;
uniform float recede;
out vec2 place;
void main() {
    place = vec2((gl_VertexID & 1) == 0 ? bounds.x : bounds.z, gl_VertexID < 2 ? bounds.y : bounds.w);
    vec4 seen = view * vec4(centre + first * place.x + second * place.y, 1.0);
    gl_Position = projection * seen;
    gl_Position.z += 1.4 * recede * gl_Position.w;
}
"""
CAST_FRAGMENT = HEAD + """
uniform sampler2D shadow;
uniform float radius, reach;
in vec2 place;
out vec4 pixel;
void main() {
    float fade = 1.0 - smoothstep(0.15, 1.0, length(place) / radius);
    pixel = vec4(0.0, 0.0, 0.0, 0.5 * fade * texture(shadow, place / reach * 0.5 + 0.5).r);
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
    float total = 0.0;
    for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++) {   // each tap is the mean of four texels
        float weight = (i == 0 ? 0.4 : 0.3) * (j == 0 ? 0.4 : 0.3);
        total += weight * texture(shadow, (2.0 * gl_FragCoord.xy + 3.0 * vec2(i, j)) / size).r;
    }
    pixel = vec4(total, 0.0, 0.0, 1.0);
}
"""

BALL_SHADOW_VERTEX = HEAD + """
uniform vec3 centre, first, second, upwards;
uniform float reach;
in vec3 corner, middle;
in float radius;
out float height;
void main() {
    vec3 from = middle + radius * corner - centre;
    height = dot(from, upwards) / reach;
    gl_Position = vec4(dot(from, first) / reach, dot(from, second) / reach, 0.0, 1.0);
}
"""

# Patches: left, bottom, width and height in pixels; the image's first row is the highest.
PATCH_VERTEX = HEAD + """
uniform vec2 viewport;
uniform vec4 place;
out vec2 at;
void main() {
    vec2 corner = vec2((gl_VertexID & 1) == 0 ? 0.0 : 1.0, gl_VertexID < 2 ? 0.0 : 1.0);
    at = vec2(corner.x, 1.0 - corner.y);
    gl_Position = vec4((place.xy + corner * place.zw) / viewport * 2.0 - 1.0, 0.0, 1.0);
}
"""
PATCH_FRAGMENT = HEAD + """
uniform sampler2D image;
in vec2 at;
out vec4 pixel;
void main() { pixel = texture(image, at); }
"""
