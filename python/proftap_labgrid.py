"""labgrid: a board of a proftap daemon as a resource, and a driver that profiles it. An environment names both:

    targets:
      main:
        resources:
          NetworkProftapBoard: {host: lab1, board: motor}
        drivers:
          ProftapDriver: {}
    imports: [/usr/share/proftap/python/proftap_labgrid.py]

License GPL-3.0-or-later."""
import os
import subprocess
import sys
import tempfile
import time

import attr
from labgrid.driver import Driver
from labgrid.factory import target_factory
from labgrid.resource.common import NetworkResource
from labgrid.step import step

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import proftap

FORWARD_S = 20.0


@target_factory.reg_resource
@attr.s(eq=False)
class NetworkProftapBoard(NetworkResource):
    """A board by its name in the daemon of a host, which is reached by ssh; localhost: without it. control: the daemon's socket there."""
    board = attr.ib(validator=attr.validators.instance_of(str))
    control = attr.ib(default=proftap.SERVICE, validator=attr.validators.instance_of(str))


@target_factory.reg_driver
@attr.s(eq=False)
class ProftapDriver(Driver):
    """While it is active, `board` is a proftap.Board. status(), monitor() and profile() show as steps in labgrid's log."""
    bindings = {"resource": {"NetworkProftapBoard"}}

    def __attrs_post_init__(self):
        super().__attrs_post_init__()
        self.board = self._ssh = self._folder = None

    def on_activate(self):
        control = self.resource.control
        if self.resource.host not in ("", "localhost", "127.0.0.1"):
            control = self._forward(control)
        self.board = proftap.Board(self.resource.board, "unix:" + control)
        self.board.wait_attached()

    def _forward(self, control):
        self._folder = tempfile.TemporaryDirectory(prefix="proftap-labgrid-")
        path = os.path.join(self._folder.name, "control")
        self._ssh = subprocess.Popen(["ssh", "-N", "-o", "BatchMode=yes", "-o", "ExitOnForwardFailure=yes",
                                      "-L", f"{path}:{control}", self.resource.host], stdin=subprocess.DEVNULL)
        end = time.monotonic() + FORWARD_S
        while not os.path.exists(path):
            if self._ssh.poll() is not None or time.monotonic() > end:
                self.on_deactivate()
                raise proftap.Error(f"ssh does not forward {control} of {self.resource.host}")
            time.sleep(0.05)
        return path

    def on_deactivate(self):
        self.board = None
        if self._ssh is not None:
            self._ssh.terminate()
            self._ssh.wait()
            self._folder.cleanup()
            self._ssh = None

    @Driver.check_active
    @step(result=True)
    def status(self):
        return self.board.status()

    @Driver.check_active
    @step(args=["words"], result=True)
    def monitor(self, *words):
        return self.board.monitor(*words)

    @Driver.check_active
    @step(args=["seconds"])
    def profile(self, seconds, **settings):
        return self.board.profile(seconds, **settings)
