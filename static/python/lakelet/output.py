"""What cells print, collected in pieces and sent in order."""

import io
import sys

# A piece is sent when it is this long; a cell's output ends at the second number. Characters.
_PIECE = 8_192
_TOTAL_MAX = 1_000_000


class _Printed(io.TextIOBase):
    """Stands in for stdout and stderr, which share one place and one order."""

    def __init__(self):
        self._pieces = []
        self._length = 0
        self._total = 0

    def begin(self):
        """A new cell: its output starts from nothing."""
        self._pieces.clear()
        self._length = 0
        self._total = 0

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        room = _TOTAL_MAX - self._total
        if room > 0:
            kept = text[:room]
            self._pieces.append(kept)
            self._total += len(kept)
            self._length += len(kept)
            if len(text) > room:
                self._pieces.append(f"\n… the output of this cell was cut here, at {_TOTAL_MAX:,} characters.\n")
        if self._length >= _PIECE:
            self.flush()
        return len(text)

    def flush(self):
        if not self._pieces:
            return
        # Imported late: the bridge itself needs this module.
        from lakelet import bridge

        text = "".join(self._pieces)
        self._pieces.clear()
        self._length = 0
        bridge.send_text(text)


_printed = _Printed()


def install():
    """Sends everything that is printed from now on to the cell's output."""
    sys.stdout = _printed
    sys.stderr = _printed


def begin():
    """Starts the output of a cell."""
    _printed.begin()


def flush():
    """Sends what has been printed and not been sent."""
    _printed.flush()
