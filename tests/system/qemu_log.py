"""What the tests against QEMU share: its log of what it executes, read while it runs."""
import os
import subprocess
import threading

DEADLINE_S = 600
NOT_EXECUTED = (b"Stopped execution of TB chain before", b"cpu_io_recompile: rewound execution")


def read_log(command, what, read):
    """What read(lines) returns of the log (-d what) of this QEMU, which is then ended."""
    log, write_end = os.pipe()
    qemu = subprocess.Popen(
        [*command, "-display", "none", "-serial", "none", "-monitor", "none", "-singlestep", "-d", what,
         "-D", f"/dev/fd/{write_end}"],
        pass_fds=[write_end], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write_end)
    deadline = threading.Timer(DEADLINE_S, qemu.kill)
    deadline.start()
    with os.fdopen(log, "rb") as lines:
        found = read(lines)
        qemu.kill()	# it may be blocked in a write to the log
        qemu.wait()
    deadline.cancel()
    return found
