"""west: the runner "proftap", for west debug, attach, debugserver and flash. In a Zephyr module's zephyr/module.yml:

    runners:
      - file: scripts/proftap_runner.py

A board offers it when its board.cmake has board_runner_args(proftap "--core-clock=48M") and lists it among its runners.
License GPL-3.0-or-later."""
from runners.core import RunnerCaps, ZephyrBinaryRunner

DEFAULT_PORT = 3333


class ProftapBinaryRunner(ZephyrBinaryRunner):
    """proftap as the GDB server; its profiles are "monitor profile run 2s" in GDB."""

    def __init__(self, cfg, probe, core_clock, port, words):
        super().__init__(cfg)
        self.probe, self.core_clock, self.port, self.words = probe, core_clock, port, words

    @classmethod
    def name(cls):
        return "proftap"

    @classmethod
    def capabilities(cls):
        return RunnerCaps(commands={"flash", "debug", "debugserver", "attach"}, dev_id=True, tool_opt=True)

    @classmethod
    def dev_id_help(cls):
        return "the probe, as proftap probes prints it; without it the only one that is plugged in"

    @classmethod
    def tool_opt_help(cls):
        return "an option of proftap, e.g. --tool-opt=--target=cortexm"

    @classmethod
    def do_add_parser(cls, parser):
        parser.add_argument("--core-clock", help="frequency of the core, e.g. 48M: gives profiles in seconds")
        parser.add_argument("--gdb-port", type=int, default=DEFAULT_PORT, help=f"where GDB connects; default {DEFAULT_PORT}")

    @classmethod
    def do_create(cls, cfg, args):
        return cls(cfg, args.dev_id, args.core_clock, args.gdb_port, args.tool_opt or [])

    def server(self):
        command = [self.require("proftap"), "--gdb", f"127.0.0.1:{self.port}", "--elf", self.cfg.elf_file]
        if self.probe:
            command += ["--probe", self.probe]
        if self.core_clock:
            command += ["--core-clock", self.core_clock]
        return command + self.words

    def client(self, *commands):
        if self.cfg.gdb is None:
            raise ValueError("no GDB is known: this build has no GDB of its toolchain")
        words = [word for command in (f"target extended-remote 127.0.0.1:{self.port}", *commands) for word in ("-ex", command)]
        return [self.require(self.cfg.gdb), *words, self.cfg.elf_file]

    def do_run(self, command, **kwargs):
        if command == "debugserver":
            self.check_call(self.server())
        elif command == "flash":
            client = self.client("load", "monitor reset run", "detach")
            self.run_server_and_client(self.server(), [client[0], "-batch", *client[1:]])
        else:
            self.run_server_and_client(self.server(), self.client(*(["load"] if command == "debug" else [])))
