"""A daemon with several boards, for tests of what reaches them."""
import os
import signal
import subprocess
import sys
import tempfile

from gdb_session import DEADLINE_S, text_of


class Lab:
    """The daemon of a configuration file, until the with block ends; doors: what --print-ports says of each board."""

    def __init__(self, build, text, folder, n_doors):
        self.config = os.path.join(folder, "lab.conf")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(text)
        self.stderr = tempfile.NamedTemporaryFile(prefix="proftap-stderr-")
        self.child = subprocess.Popen([os.path.join(build, "proftap"), "--config", self.config, "--print-ports"],
                                      stdout=subprocess.PIPE, stderr=self.stderr, text=True,
                                      env={**os.environ, "XDG_RUNTIME_DIR": folder})
        self.doors = [self.child.stdout.readline().split() for _ in range(n_doors)]

    def door(self, name, unix=True):
        found = [address for board, _, address in self.doors if board == name and address.startswith("unix:") == unix]
        assert found, (name, self.doors, text_of(self.stderr.name))
        return type("Door", (), {"address": found[0].removeprefix("unix:")})

    def end(self, signum):
        self.child.send_signal(signum)
        return self.child.wait(timeout=DEADLINE_S)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        status = self.child.poll()
        if status is None:
            status = self.end(signal.SIGINT)
        if kind is not None:
            print(text_of(self.stderr.name), file=sys.stderr)
        else:
            assert status == 0, text_of(self.stderr.name)
