"""What a session has to say: good news that goes by itself, and what went wrong, which stays until it is closed."""
from __future__ import annotations

from time import perf_counter

LASTING = 6.0  # s of a person's time that good news is shown


class Noticing:
    """`message` is what was last worth saying; `failed` whether it is about something that went wrong."""

    _message = ""
    _said = 0.0
    failed = False

    @property
    def message(self) -> str:
        return self._message

    @message.setter
    def message(self, text: str) -> None:
        self.tell(text)

    def tell(self, text: str) -> None:
        """Say what is good to know."""
        self._message, self.failed, self._said = text, False, perf_counter()

    def fail(self, text: str) -> None:
        """Say what went wrong."""
        self._message, self.failed, self._said = text, True, perf_counter()

    @property
    def notice(self) -> str:
        """The message while it is to be shown."""
        return self._message if self.failed or perf_counter() - self._said < LASTING else ""
