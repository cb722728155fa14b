"""Foreign hosts on emulated probes, for tests: a program with a virtual probe plugged in, and what it must have printed."""
import os
import re
import shutil
import subprocess
import tempfile

from foreign_probes import DEADLINE_S


def plugged(build, board, options, *command):
    """What a program printed with a virtual board's probe plugged in as a USB device."""
    with tempfile.TemporaryDirectory(prefix="usb-runtime-") as runtime:	# another test's daemon may have a probe at the same port
        done = subprocess.run([os.path.join(build, "tests/usb_probe"), "--board", board, *options, "--", *command], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=DEADLINE_S, check=False, errors="replace",
                              env=dict(os.environ, PROFTAP_CONFIG="/dev/null", XDG_RUNTIME_DIR=runtime))
    return done.stdout


def expect(said, *regexes):
    """Each matches behind the one before it."""
    at = 0
    for regex in regexes:
        found = re.compile(regex).search(said, at)
        assert found, f"no {regex!r} behind {said[:at][-200:]!r} in:\n{said}"
        at = found.end()


def need(program, package):
    if shutil.which(program) is None:
        raise LookupError(f"{program} is not there (Debian package {package})")
