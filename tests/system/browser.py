"""Chromium without a window, driven over a pipe by its DevTools protocol: a page from a file, real input events, pictures."""
import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium")
DEADLINE_S = 120
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--remote-debugging-pipe")


class Browser:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        self.answers, self.number, self.rest, self.errors = {}, 0, b"", []
        commands, self.commands = os.pipe()
        self.results, results = os.pipe()

        def take_pipes():	# the protocol is on descriptors 3 and 4
            low, high = os.dup(commands), os.dup(results)
            os.dup2(low, 3)
            os.dup2(high, 4)

        self.child = subprocess.Popen([CHROMIUM, *FLAGS, "--user-data-dir=" + self.folder.name, "about:blank"], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=take_pipes, close_fds=False)
        os.close(commands)
        os.close(results)
        page = next(t for t in self.wait_for_targets() if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.child.pid, signal.SIGKILL)	# its processes, and no others
        self.child.wait()
        os.close(self.commands)
        os.close(self.results)
        self.folder.cleanup()

    def wait_for_targets(self):
        self.session = None
        return self.call("Target.getTargets")["targetInfos"]

    def read_message(self):
        while b"\0" not in self.rest:
            piece = os.read(self.results, 1 << 20)
            assert piece, "chromium has ended"
            self.rest += piece
        message, _, self.rest = self.rest.partition(b"\0")
        message = json.loads(message)
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(message["params"]["exceptionDetails"])
        elif message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            self.errors.append(message["params"]["entry"]["text"])
        return message

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read_message()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer)
                return answer["result"]

    def evaluate(self, script):
        """The value of a script, which may be a promise."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def open(self, path, width=1280, height=900, dark=False):
        """Returns how many seconds it took until all of the page was drawn."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        begin = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while not self.evaluate("document.documentElement?.dataset.ready === 'yes'"):
            assert time.monotonic() - begin < DEADLINE_S, f"{path} is never drawn: {self.errors}"
            time.sleep(0.01)
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return time.monotonic() - begin

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ("Pressed", "Released"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **(text if kind == "keyDown" else {}))

    def shot(self, path, whole=True):
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))
