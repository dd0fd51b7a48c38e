"""A real browser over the DevTools protocol: pipes and the standard library for all of it."""

from __future__ import annotations

import base64
import json
import os
import select
import shlex
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np

NAMES = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = (
    "--headless --remote-debugging-pipe --no-sandbox --disable-gpu --disable-dev-shm-usage "
    "--no-first-run --hide-scrollbars --force-color-profile=srgb"
)


def find_browser() -> str | None:
    """Path of an installed browser."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


def luminance(colour: str) -> float:
    """Relative luminance of a computed colour, as WCAG defines it."""
    parts = np.array([float(part) for part in colour.strip("rgba()").split(",")[:3]]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


class Browser:
    """One page of a headless browser; collects what its console says."""

    def __init__(self, executable: str, folder: Path, timeout: float = 90.0) -> None:
        self.timeout, self.buffer, self.n_sent = timeout, b"", 0
        self.console: list[str] = []
        self.requests: list[str] = []
        child_in, self.to_child = os.pipe()
        self.from_child, child_out = os.pipe()
        # the browser reads commands from descriptor 3 and answers on 4, both ended by a NUL
        command = (
            f"exec {shlex.quote(executable)} {_OPTIONS} --user-data-dir={shlex.quote(str(folder))}"
        )
        self.process = subprocess.Popen(
            ["bash", "-c", f"{command} about:blank 3<&{child_in} 4>&{child_out}"],
            pass_fds=(child_in, child_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
        )
        os.close(child_in)
        os.close(child_out)
        self.session: str | None = None

    def connect(self) -> None:
        """Open a page and listen to it; TimeoutError or OSError where the browser does not run."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self.n_sent += 1
        message: dict[str, Any] = {"id": self.n_sent, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.to_child, json.dumps(message).encode() + b"\0")
        answer = self._wait(lambda reply: reply.get("id") == message["id"])
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _wait(self, is_wanted: Any) -> dict[str, Any]:
        end = time.monotonic() + self.timeout
        while True:
            while b"\0" in self.buffer:
                raw, _, self.buffer = self.buffer.partition(b"\0")
                reply = json.loads(raw)
                self._note(reply)
                if is_wanted(reply):
                    return reply
            ready, _, _ = select.select([self.from_child], [], [], max(0.0, end - time.monotonic()))
            chunk = os.read(self.from_child, 1 << 20) if ready else b""
            if not chunk:
                raise TimeoutError("the browser does not answer")
            self.buffer += chunk

    def _note(self, reply: dict[str, Any]) -> None:
        method, facts = reply.get("method"), reply.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.console.append(f"{facts['type']}: {[a.get('value') for a in facts['args']]}")
        elif method == "Runtime.exceptionThrown":
            self.console.append(f"exception: {facts['exceptionDetails']['text']}")
        elif method == "Log.entryAdded":
            self.console.append(f"{facts['entry']['level']}: {facts['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(facts["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.console.append(f"dialog: {facts['message']}")

    def open(self, path: Path) -> None:
        """Load a file and wait until it is there."""
        self.console.clear()
        self.requests.clear()
        self.call("Page.navigate", url=path.as_uri())
        self._wait(lambda reply: reply.get("method") == "Page.loadEventFired")

    def run(self, expression: str) -> Any:
        """Value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def prefer(self, scheme: str, media: str = "") -> None:
        """Emulate the colour scheme of the system, and the medium."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", media=media, features=[feature])

    def resize(self, width: int, height: int) -> None:
        """Give the window a size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def screenshot(self, width: int = 1100, height: int = 3000) -> bytes:
        """PNG of the page."""
        self.resize(width, height)
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def close(self) -> None:
        """End the browser."""
        os.close(self.to_child)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.from_child)
