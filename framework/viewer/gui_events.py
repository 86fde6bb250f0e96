"""pygame events as imgui input."""
from __future__ import annotations

from contextlib import suppress
from typing import Any

import pygame
from imgui_bundle import imgui

BUTTONS = {1: 0, 3: 1, 2: 2}  # left, right, middle
NAMED = {
    "LEFT": "left_arrow", "RIGHT": "right_arrow", "UP": "up_arrow", "DOWN": "down_arrow", "PAGEUP": "page_up",
    "PAGEDOWN": "page_down", "HOME": "home", "END": "end", "INSERT": "insert", "DELETE": "delete",
    "BACKSPACE": "backspace", "RETURN": "enter", "KP_ENTER": "keypad_enter", "ESCAPE": "escape", "TAB": "tab",
    "SPACE": "space", "LCTRL": "left_ctrl", "RCTRL": "right_ctrl", "LSHIFT": "left_shift", "RSHIFT": "right_shift",
    "LALT": "left_alt", "RALT": "right_alt", "LSUPER": "left_super", "RSUPER": "right_super", "MINUS": "minus",
    "PERIOD": "period", "COMMA": "comma",
}  # fmt: skip
KEYS = {getattr(pygame, f"K_{name}"): getattr(imgui.Key, key) for name, key in NAMED.items()}
KEYS |= {getattr(pygame, f"K_{letter}"): getattr(imgui.Key, letter) for letter in "abcdefghijklmnopqrstuvwxyz"}
KEYS |= {getattr(pygame, f"K_{digit}"): getattr(imgui.Key, f"_{digit}") for digit in "0123456789"}
MODIFIERS = ((pygame.KMOD_CTRL, "mod_ctrl"), (pygame.KMOD_SHIFT, "mod_shift"), (pygame.KMOD_ALT, "mod_alt"),
             (pygame.KMOD_META, "mod_super"))  # fmt: skip


def feed(event: pygame.event.Event) -> None:
    """Tell the current imgui context of an event; others are ignored. Text comes by TEXTINPUT."""
    io: Any = imgui.get_io()
    if event.type == pygame.MOUSEMOTION:
        io.add_mouse_pos_event(*map(float, event.pos))
    elif event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP) and event.button in BUTTONS:
        io.add_mouse_pos_event(*map(float, event.pos))
        io.add_mouse_button_event(BUTTONS[event.button], event.type == pygame.MOUSEBUTTONDOWN)
    elif event.type == pygame.MOUSEWHEEL:
        io.add_mouse_wheel_event(getattr(event, "precise_x", event.x), getattr(event, "precise_y", event.y))
    elif event.type in (pygame.KEYDOWN, pygame.KEYUP):
        for mask, name in MODIFIERS:
            io.add_key_event(getattr(imgui.Key, name), bool(getattr(event, "mod", 0) & mask))
        if event.key in KEYS:
            io.add_key_event(KEYS[event.key], event.type == pygame.KEYDOWN)
    elif event.type == pygame.TEXTINPUT:
        io.add_input_characters_utf8(event.text)
    elif event.type == pygame.WINDOWFOCUSLOST:
        io.add_focus_event(False)  # imgui lets go of all keys and buttons
    elif event.type == pygame.WINDOWFOCUSGAINED:
        io.add_focus_event(True)
    elif event.type == pygame.WINDOWLEAVE:
        io.add_mouse_pos_event(-1e30, -1e30)


def use_clipboard() -> None:
    """Let the current imgui context copy to and from the system's clipboard, or its own where there is none."""
    kept = ""

    def put(_context: Any, text: str) -> None:
        nonlocal kept
        kept = text
        with suppress(pygame.error, ValueError):
            pygame.scrap.put_text(text)

    def get(_context: Any) -> str:
        with suppress(pygame.error, ValueError):
            return str(pygame.scrap.get_text()) or kept
        return kept

    platform = imgui.get_platform_io()
    platform.platform_set_clipboard_text_fn, platform.platform_get_clipboard_text_fn = put, get
