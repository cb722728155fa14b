"""Boards of a proftap daemon, for test programs and scripts: their state, profiles and monitor commands.

    import proftap
    board = proftap.Board("motor")                  # of this user's daemon, else of the service
    board.wait_attached()
    report = board.profile(2.0, mode="burst")
    assert report.function("control_step").interval("net_share").high < 0.30
    assert report.lost_ns == 0
    board.profile(2.0, limits="gross(isr) in 0us..50us").check()

A board is reached by a door. Of the control socket (the default, or door="unix:PATH") there is all: it starts profiles and executes
monitor commands. Of HTTP (door="http://127.0.0.1:8333" or "http+unix:PATH") there is what only looks, and events(). Through ssh:
ssh -L /tmp/lab:/run/proftap/control lab, and door="unix:/tmp/lab".

A number that is not known never passes a test: its interval is open, so that a comparison with its end is false.
Needs Python 3.9 and nothing else. License GPL-3.0-or-later."""
import http.client
import json
import math
import os
import socket
import time
import urllib.parse
from typing import NamedTuple, Optional

__all__ = ["Board", "Error", "Function", "Interval", "Report", "boards"]

SERVICE = "/run/proftap/control"
PATIENCE_S = 30.0	# without a word; while a command is at work the daemon tells its progress each second


class Error(Exception):
    """What the daemon refused, or why it cannot be reached: one sentence. code: of the daemon (-8: another client uses the board,
    for instance; doc/interfaces.md), or of HTTP; 0: the daemon could not be reached, or did not answer."""

    def __init__(self, sentence, code=0):
        super().__init__(sentence)
        self.code = code


class Interval(NamedTuple):
    """The true number lies from low to high: equal where it is exact, the 95 % confidence interval of an estimate, -inf or inf on a
    side that is not known. value: the best figure; None: there is none."""
    low: float
    value: Optional[float]
    high: float


def _divide(interval, least, most):
    """All three of an interval of ticks, at a rate that lies between least and most per second."""
    middle = None if interval.value is None else interval.value / math.sqrt(least * most)
    return Interval(interval.low / most, middle, interval.high / least)


class Function(dict):
    """A row of the functions: the keys of proftap-profile-1.schema.json. A core that is not the first has rows of its own."""

    def __init__(self, row, report):
        super().__init__(row)
        self._report = report

    def interval(self, key):
        """Of "net_share", "calls_per_s", "call.max", ...: what is known of this number."""
        *outer, last = key.split(".")
        row = self
        for part in outer:
            row = row[part]
        value, estimate = row[last], row.get(last + "_ci95")
        if estimate is not None:
            return Interval(estimate[0], value, estimate[1])
        if value is not None and self._report.exactness_of(key) != "estimated":
            return Interval(value, value, value)
        least = row.get(last + "_at_least")
        return Interval(-math.inf if least is None else least, value, math.inf)

    def seconds(self, key):
        """The same of a duration, "call.max" or "net.total", whose ticks become seconds; what is not known of the clock widens it."""
        clock = self._report["clock"]
        if clock["hz"] is None:
            raise Error("how long a tick is, is not known: the daemon needs core-clock =")
        return _divide(self.interval(key), clock.get("hz_least") or clock["hz"], clock.get("hz_most") or clock["hz"])


class Report(dict):
    """A profile as --format json has it: the keys of proftap-profile-1.schema.json."""

    @property
    def functions(self):
        return [Function(row, self) for row in self["functions"]]

    def function(self, name, core=None):
        """The row of a function; of a core, where several have it. KeyError: it was not seen, which is no proof that it did not run."""
        for row in self.functions:
            if row["name"] == name and core in (None, row["core"]):
                return row
        raise KeyError(f"{name} was not seen (the largest share of time that it can have: {self['unseen_share_max']})")

    def exactness_of(self, key):
        """exact, modelled, bounded or estimated, as the report says it of counts, times and shares."""
        kind = "share" if key.endswith("share") else "count" if key.split(".")[-1] in ("count", "calls_per_s") else "time"
        return self[f"{kind}_exactness"]

    @property
    def lost_ns(self):
        """Time whose trace a fault took away, of all sources together. None: not known, of one of them at least."""
        lost = [source["lost_ns"] for source in self.get("sources", [self])]
        return None if None in lost else sum(lost)

    def check(self):
        """AssertionError with each timing rule of limits= that was violated, or that this trace cannot decide."""
        bad = [f"{rule['rule']}: {rule['verdict']}: {rule['why']}" for rule in self["limits"] if rule["verdict"] != "passed"]
        if bad or not self["limits"]:
            raise AssertionError("; ".join(bad) or "no rule was given: limits=")


class _Control:
    """The control socket: a line of JSON asks, a line answers."""

    def __init__(self, path):
        self.path = path

    def ask(self, request, progress=None):
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(PATIENCE_S)
                client.connect(self.path)
                client.sendall(json.dumps(request).encode() + b"\n")
                return self._answer(client.makefile("rb"), progress)
        except OSError as error:
            raise Error(f"the daemon's control socket {self.path}: {error.strerror or error}") from None

    def _answer(self, lines, progress):
        for line in lines:
            answer = json.loads(line)
            if "progress" in answer:
                if progress is not None:
                    progress(answer["progress"])
            elif answer["code"] < 0:
                raise Error(answer["error"], answer["code"])
            else:
                return answer
        raise Error("the daemon ended before it answered")

    def boards(self):
        return self.ask({"status": True})["boards"]

    def status(self, name):
        for board in self.boards():
            if board["name"] == name:
                return board
        raise Error(f"no board {name} here; there are: {', '.join(board['name'] for board in self.boards())}")

    def monitor(self, name, words, progress=None):
        return self.ask({"board": name, "words": list(words)}, progress)["text"]

    def report(self, name, words):
        return self.monitor(name, ["profile", "report", *words])

    def stream(self, path):
        raise Error('events come by HTTP alone: door="http://..." or "http+unix:PATH"')


class _UnixHttp(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE_S)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE_S)
        self.sock.connect(self._path)


class _Http:
    """The HTTP door, which only looks."""

    def __init__(self, address, token):
        self.address, self.token = address, token

    def _connect(self):
        if self.address.startswith("http+unix:"):
            return _UnixHttp(self.address.removeprefix("http+unix:"))
        parts = urllib.parse.urlsplit(self.address)
        return http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=PATIENCE_S)

    def stream(self, path):
        """The response, not read yet."""
        connection = self._connect()
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"} if self.token else {})
            response = connection.getresponse()
        except OSError as error:
            raise Error(f"{self.address}: {error.strerror or error}") from None
        if response.status != 200:
            text = response.read().decode(errors="replace")
            raise Error(json.loads(text)["error"] if text.startswith("{") else text.strip(), response.status)
        return response

    def _get(self, path):
        with self.stream(path) as response:
            return response.read().decode()

    def boards(self):
        return json.loads(self._get("/api/v1/boards"))["boards"]

    def status(self, name):
        return json.loads(self._get(f"/api/v1/boards/{urllib.parse.quote(name)}/status"))

    def monitor(self, name, words, progress=None):
        raise Error('HTTP only looks: commands need the control socket, door="unix:PATH"')

    def report(self, name, words):
        query = "&".join(urllib.parse.quote(word, safe="=") for word in words)
        return self._get(f"/api/v1/boards/{urllib.parse.quote(name)}/report?{query}")


def _open(door, token=None):
    if door is None:
        own = os.path.join(os.environ.get("XDG_RUNTIME_DIR", "/nowhere"), "proftap/control")
        return _Control(own if os.path.exists(own) else SERVICE)
    if door.startswith("unix:"):
        return _Control(door.removeprefix("unix:"))
    if door.startswith(("http://", "http+unix:")):
        return _Http(door, token)
    raise Error(f"{door}: a door is unix:PATH, http://HOST:PORT or http+unix:PATH")


def boards(door=None, token=None):
    """The state of all boards: a list of objects, as in proftap-status-1.schema.json."""
    return _open(door, token).boards()


class Board:
    """A board of a daemon, by its name there. Each call connects anew, so a Board may be kept while the daemon restarts."""

    def __init__(self, name, door=None, token=None):
        self.name, self._door = name, _open(door, token)

    def status(self):
        """The board's object in boards()."""
        return self._door.status(self.name)

    def wait_attached(self, timeout_s=60.0):
        """Until its probe and target are there. Error: they are not in time; the sentence has the reason."""
        end = time.monotonic() + timeout_s
        while True:
            state = self.status()
            if state["state"] == "attached":
                return state
            if time.monotonic() > end:
                raise Error(f"board {self.name} is {state['state']} after {timeout_s:g} s: {state.get('details')}")
            time.sleep(0.1)

    def monitor(self, *words, progress=None):
        """Executes a monitor command and returns what it prints. progress: called with a line each second while it is at work."""
        return self._door.monitor(self.name, words, progress)

    def start(self, **settings):
        """Starts a profile; settings are the words of monitor profile start, with _ for -: mode="burst", core_clock=48000000."""
        self.monitor("profile", "start", *_words(settings))

    def stop(self):
        """Stops it; its report stays."""
        self.monitor("profile", "stop")
        return self.report()

    def profile(self, seconds, progress=None, **settings):
        """Profiles for so long, and returns the report. A core that stood runs meanwhile, and stands again then."""
        words = ["profile", "run", f"{seconds * 1e6:.0f}us", *_words(settings), "format=json"]
        text = self.monitor(*words, progress=progress)
        return Report(json.loads(text[text.index("{"):text.rindex("}") + 1]))

    def report(self):
        """Of the profile that runs, as far as it has come, or of the last one."""
        return Report(json.loads(self._door.report(self.name, ["format=json"])))

    def functions(self):
        return self.report().functions

    def events(self):
        """What boards and profiles do, as it happens (HTTP): pairs of a kind, "board" or "figures", and its object. Ends when the
        daemon does."""
        kind = None
        with self._door.stream("/api/events") as response:
            for line in response:
                field, _, value = line.decode().rstrip("\n").partition(": ")
                if field == "event":
                    kind = value
                elif field == "data" and kind == "end":
                    raise Error(json.loads(value)["error"])
                elif field == "data":
                    event = json.loads(value)
                    if event["name"] == self.name:
                        yield kind, event


def _words(settings):
    return [f"{key.replace('_', '-')}={value}" for key, value in settings.items()]
