"""The profile in GDB: source it in GDB or in ~/.gdbinit, then `help profile`. Nothing of proftap needs it: these are
`monitor profile ...`, `remote get` and `remote put` with completion, and a window of the TUI (layout profile)."""
import csv
import linecache
import os
import shlex
import subprocess
import tempfile
import textwrap

import gdb

VIEWS = ("functions", "calls", "tree", "lines", "tasks", "data", "aux", "irqs", "counters", "timeline", "gaps")
WINDOW = "profile"


def monitor(words):
    return gdb.execute("monitor profile " + words, to_string=True)


def show_monitor(words):
    """The answer goes straight to the user: GDB drops what a failed command has printed when a string is asked for, and
    the reason of a refusal is there."""
    try:
        gdb.execute("monitor profile " + words)
    except gdb.error as error:
        said = str(error)
        raise gdb.GdbError(f"profile {words.split()[0]} was refused, for the reason above" if "Rcmd" in said else said) from None


def send_symbols():
    """A server without symbols gets the ELF that GDB debugs: else the profile has addresses. Without it there is a profile
    all the same."""
    path = gdb.current_progspace().filename
    try:
        if path and "no symbols yet" in gdb.execute("monitor symbols", to_string=True):
            gdb.execute(f"remote put {shlex.quote(path)} firmware.elf", to_string=True)
            gdb.write(f"the server had no symbols: sent {path}\n")
    except gdb.error as error:
        gdb.write(f"the server has no symbols, and {path} cannot be sent ({error}): rows will be addresses\n")


def fetch(name):
    """A report as a file of one moment, made by the server when it is opened."""
    folder = tempfile.mkdtemp(prefix="proftap-")
    path = os.path.join(folder, name)
    try:
        gdb.execute(f"remote get profile/{name} {shlex.quote(path)}", to_string=True)
    except gdb.error as error:	# a file has no words for the reason; a report has
        os.rmdir(folder)
        show_monitor("report top=1")
        raise gdb.GdbError(f"profile/{name}: {error}") from None
    return path


def drop(path):
    os.unlink(path)
    os.rmdir(os.path.dirname(path))


class Profile(gdb.Command):
    """Profile the program that proftap serves.
profile run TIME                                    start, run for TIME, report
profile start [for=TIME] [KEY=VALUE...]             begin; continue lets the program run
profile stop                                        end it, and print the first ten rows
profile status, reset, save FILE                    look, forget, keep the trace
profile report [VIEW] [sort=KEY] [top=N]            a table
profile list FUNCTION                               its source with counts and time
profile upload [FILE]                               give the server the ELF that GDB debugs, or FILE; a server that has
                                                    none gets it with profile start and run
profile flame                                       open the flame graph in a browser
In the TUI `layout profile` shows the table beside the source, anew at each stop."""

    def __init__(self):
        super().__init__("profile", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)

    def invoke(self, argument, from_tty):
        if argument:
            raise gdb.GdbError(f"profile has no command {argument.split()[0]}; `profile` alone lists them")
        gdb.write(self.__doc__ + "\n")


PASSED = {
    "start": "Begin a profile, with the program's symbols: profile start [for=TIME] [KEY=VALUE...]\n"
             "continue lets the program run; `monitor help profile start` has the keys.",
    "stop": "End the profile and print its first ten rows: profile stop",
    "status": "What is being profiled, and how much was seen and lost so far: profile status",
    "reset": "Forget what was counted, and go on profiling: profile reset",
    "run": "Start, let the program run for a while, stop, report: profile run TIME [KEY=VALUE...] [VIEW] [sort=KEY] [top=N]",
    "save": "Keep the trace in a file, for proftap decode: profile save FILE",
    "live": "The table every so often while a continue waits: profile live TIME [VIEW...], profile live off",
    "limits": "Check the timing rules of a file: profile limits FILE, profile limits off",
    "report": "A table of the profile so far: profile report [VIEW] [sort=KEY] [top=N]\n"
              "`monitor help report` lists views and formats.",
}


class Passed(gdb.Command):
    """What the server does itself."""

    def __init__(self, word, completions=()):
        self.word, self.completions = word, completions
        self.__doc__ = PASSED[word]
        super().__init__("profile " + word, gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        if self.word in ("start", "run"):
            send_symbols()
        show_monitor(f"{self.word} {argument}".strip())

    def complete(self, text, word):
        return [view for view in self.completions if view.startswith(word)]


class List(gdb.Command):
    """The source lines of a function, each with how often it ran and its share of the time: profile list FUNCTION"""

    # Of the table's first lines: how good the figures are.
    FACTS = ("# observed:", "# accuracy:", "# counts,", "# warning:")

    def __init__(self):
        super().__init__("profile list", gdb.COMMAND_FILES, gdb.COMPLETE_SYMBOL)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("profile list FUNCTION")
        path = fetch("lines.csv")
        try:
            with open(path, encoding="utf-8", newline="") as file:
                text = list(file)
        finally:
            drop(path)
        rows = csv.DictReader(line for line in text if not line.startswith("#"))
        rows = sorted((row for row in rows if row["function"] == argument), key=lambda row: (row["file"], int(row["line"])))
        if not rows:
            raise gdb.GdbError(f"no line of {argument} was seen: profile report functions has those that were")
        facts = "".join(line[2:].rstrip() + "\n" for line in text if line.startswith(self.FACTS))
        gdb.write(facts.replace("net and gross", "self and total"))	# as people read them
        cells = {id(row): (self.count(row), self.share(row)) for row in rows}
        widths = [max(len(heading), *(len(cell[i]) for cell in cells.values())) for i, heading in enumerate(("count", "self"))]
        gdb.write(f"{'count':>{widths[0]}}  {'self':>{widths[1]}}  line\n")
        for file in dict.fromkeys(row["file"] for row in rows):
            self.show(file, {int(row["line"]): cells[id(row)] for row in rows if row["file"] == file}, widths)

    @staticmethod
    def interval(row, key):
        """Both limits as numbers, or None; of a lower bound there is only the first."""
        return [float(row[name]) if row.get(name) else None for name in (f"{key}_ci95_lo", f"{key}_ci95_hi")]

    @staticmethod
    def rounded(number):
        """Two digits: more are lost in the interval."""
        return f"{int(float(f'{number:.1e}')):d}"

    @classmethod
    def count(cls, row):
        low, high = cls.interval(row, "count")
        if low is not None and high is None:
            return f">={low:.0f}"
        if low is None or not row["count"]:
            return row["count"]
        return f"{cls.rounded(float(row['count']))} ({cls.rounded(low)}-{cls.rounded(high)})"

    @classmethod
    def share(cls, row):
        low, high = cls.interval(row, "net_share")
        share = f"{float(row['net_share']) * 100:.2f} %" if row["net_share"] else ""
        return share if low is None or high is None else f"{share} ({low * 100:.2f}-{high * 100:.2f})"

    def show(self, file, cells, widths):
        source = self.source_of(file)
        for line in range(min(cells), max(cells) + 1):
            count, share = cells.get(line, ("", ""))
            text = linecache.getline(source, line).rstrip() if source else ""
            gdb.write(f"{count:>{widths[0]}}  {share:>{widths[1]}}  {line}\t{text}\n")
        if source is None:
            gdb.write(f"({file} is not on this machine: the GDB command `directory` says where it is)\n")

    @staticmethod
    def source_of(file):
        try:
            found = gdb.decode_line(f"{os.path.basename(file)}:1")[1]
        except gdb.error:
            found = None
        names = [found[0].symtab.fullname()] if found and found[0].symtab else []
        return next((name for name in (*names, file) if os.path.exists(name)), None)


class Upload(gdb.Command):
    """Give the server the symbols: profile upload [FILE]; without FILE the program that GDB debugs."""

    def __init__(self):
        super().__init__("profile upload", gdb.COMMAND_FILES, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        path = argument or gdb.current_progspace().filename
        if not path:
            raise gdb.GdbError("GDB has no program: profile upload FILE")
        try:
            gdb.execute(f"remote put {shlex.quote(path)} firmware.elf")
        except gdb.error as error:
            raise gdb.GdbError(f"profile upload {path}: {error}") from None


class Flame(gdb.Command):
    """Open the flame graph of the profile so far with $BROWSER, else with xdg-open; the file stays for it."""

    def __init__(self):
        super().__init__("profile flame", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        path = fetch("flame.svg")
        gdb.write(f"{path}\n")
        try:
            subprocess.Popen([os.environ.get("BROWSER") or "xdg-open", path], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        except OSError as error:
            gdb.write(f"no browser was opened: {error}\n")


class Window:
    """The table in the TUI, fetched when the program has stopped: while it runs GDB asks nothing."""

    def __init__(self, window):
        self.window, self.first, self.lines = window, 0, []
        window.title = "profile"
        gdb.events.before_prompt.connect(self.refresh)

    def close(self):
        gdb.events.before_prompt.disconnect(self.refresh)

    def refresh(self):
        try:
            said = monitor("report top=0")
            self.lines = said.strip().splitlines()
        except gdb.error:
            self.lines = self.why()
        self.render()

    @staticmethod
    def why():
        """Why there is no table; a status is never refused."""
        try:
            return monitor("status").splitlines() + ["profile run 2s, or profile start, fills this window"]
        except gdb.error as error:
            return [str(error)]

    def render(self):
        if not self.window.is_valid():
            return
        width, (head, rows) = self.window.width - 1, self.parts()
        head = [piece for line in head for piece in textwrap.wrap(line, max(width, 20), subsequent_indent=" " * 11)]
        room = max(self.window.height - len(head), 3)
        self.window.erase()
        self.window.write("\n".join(head + [line[:width] for line in rows[self.first:self.first + room]]))

    def parts(self):
        """What was measured and how accurate it is, which stays whole and in its place; and the table, which scrolls."""
        end = self.lines.index("") if "" in self.lines else 0
        return self.lines[:end], self.lines[end:]

    def vscroll(self, amount):
        self.first = max(0, min(self.first + amount, len(self.parts()[1]) - 1))
        self.render()


Profile()
for _word in PASSED:
    Passed(_word, VIEWS if _word == "report" else ())
List()
Upload()
Flame()
if hasattr(gdb, "register_window_type"):	# GDB 10 and later, built with the TUI
    gdb.register_window_type(WINDOW, Window)
    gdb.execute(f"tui new-layout {WINDOW} src 2 {WINDOW} 2 status 0 cmd 1", to_string=True)
