"""The Debian package of a build tree that is there: the steps of debian/rules behind the compiler, with little compression and no package
of debug symbols. (`make deb` compiles it, too, as a distribution does; `make deb-check` does so twice.)"""
import glob
import os
import shutil
import subprocess

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TOOLS = {"dh": "debhelper", "lintian": "lintian", "dh_bash-completion": "bash-completion"}
FOLDERS = ("prefix=/usr", "mandir=/usr/share/man", "systemdsystemunitdir=/lib/systemd/system", "udevrulesdir=/lib/udev/rules.d",
           "sysusersdir=/usr/lib/sysusers.d")
# none at all is an error to lintian. Source: dpkg-deb(1), debhelper(7)
QUICK = {"DPKG_DEB_COMPRESSOR_TYPE": "xz", "DPKG_DEB_COMPRESSOR_LEVEL": "0", "DEB_BUILD_OPTIONS": "noautodbgsym nocheck"}


def why_none():
    """Why no package can be built here; None: it can."""
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    return f"there is no {' '.join(missing)} (Debian packages)" if missing else None


def build_package(build, folder):
    """The path of the .deb, below folder."""
    work = os.path.join(folder, "proftap")
    os.mkdir(work)
    shutil.copytree(os.path.join(SOURCE, "debian"), os.path.join(work, "debian"), copy_function=shutil.copy)
    subprocess.run(["chmod", "-R", "u+w", work], check=True)	# the source of `make distcheck` is read-only
    with open(os.path.join(work, "Makefile"), "w", encoding="utf-8") as forward:
        forward.write(f"all:\ninstall:\n\ttest -n '$(DESTDIR)'\n"	# `make` alone is the step that compiles
                      f"\t$(MAKE) -C {os.path.abspath(build)} install {' '.join(FOLDERS)}\n")
    unit = os.path.join(build, "proftap.service")
    if os.path.exists(unit):
        os.remove(unit)		# it has the prefix in it
    made = subprocess.run(["debian/rules", "binary"], cwd=work, env={**os.environ, **QUICK}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if os.path.exists(unit):
        os.remove(unit)
    found = glob.glob(os.path.join(folder, "proftap_*.deb"))
    assert made.returncode == 0 and len(found) == 1, made.stdout
    return found[0]


def lint(package):
    """What lintian says of it at the level of warnings and above; "": nothing."""
    said = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", package], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return "" if said.returncode == 0 else said.stdout
