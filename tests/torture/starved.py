"""Ladders of RLIMIT_AS and RLIMIT_NOFILE: a profile and a decode that cannot have what they need end with a sentence and a status
of their own, never by a signal but that of the house's rule for small allocations; where there is enough, they work."""
import multiprocessing
import os
import re
import resource
import subprocess
import tempfile

MIB = 1 << 20
LADDERS = (		# limit, rungs, every nth of them in the quick part, what is enough
    ("address space", resource.RLIMIT_AS, [mib * MIB for mib in range(8, 400, 4)], 12, 390 * MIB),
    ("descriptors", resource.RLIMIT_NOFILE, list(range(3, 40)), 4, 38),
)
DONE, REFUSED = 0, (1, 2, 3, 4)


def commands(capture):
    profile = ["profile", "--probe", "virtual:kl27?clock=virtual", "--for", "50ms"]
    return (("profile", profile), ("profile to a capture", [*profile, "--capture", capture + ".new"]), ("decode", ["decode", capture]))


def starve(job):
    """(what, rung, status, what is wrong)"""
    name, limit, rung, enough, what, words = job
    with tempfile.TemporaryDirectory(prefix="torture.") as folder:
        words = [word.replace("FOLDER", folder) for word in words]
        done = subprocess.run([os.path.abspath("proftap"), *words], capture_output=True, text=True, errors="replace", timeout=120,
                              check=False, preexec_fn=lambda: resource.setrlimit(limit, (rung, rung)))
    said, wrong = done.stderr.strip(), []
    loader = "error while loading shared libraries" in said		# it has not begun
    if done.returncode < 0:
        wrong.append(f"signal {-done.returncode}: {said[-200:]}")
    elif done.returncode != DONE and not loader and (done.returncode not in REFUSED or not re.search(r"[a-z]{2,} [a-z]{2,}", said)):
        wrong.append(f"exit {done.returncode}: {said[-200:]!r}")
    elif done.returncode != DONE and rung >= enough:
        wrong.append(f"is not enough: exit {done.returncode}: {said[-200:]}")
    return name, f"{what} with {rung} {name}", done.returncode, wrong


def is_instrumented():
    with open("proftap", "rb") as file:
        return re.search(rb"__[at]san_init", file.read()) is not None


def run(options):
    wrong = []
    with tempfile.TemporaryDirectory(prefix="torture.") as folder, multiprocessing.Pool(options.jobs) as pool:
        capture = os.path.join(folder, "a.ptcap")
        subprocess.run([os.path.abspath("proftap"), "profile", "--probe", "virtual:kl27?clock=virtual", "--for", "50ms", "--capture",
                        capture], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        jobs = []
        for name, limit, rungs, nth, enough in LADDERS:
            if limit == resource.RLIMIT_AS and is_instrumented():
                print("SKIPPED: address space: a sanitizer takes terabytes of it")
                continue
            for rung in rungs[options.seed % nth::nth] if options.quick else rungs:
                for what, words in commands("FOLDER/b"):
                    words = [capture if word == "FOLDER/b" else word for word in words]
                    jobs.append((name, limit, rung, enough, what, words))
        outcomes = pool.map(starve, jobs, 4)
    for name in dict.fromkeys(outcome[0] for outcome in outcomes):
        of = [outcome for outcome in outcomes if outcome[0] == name]
        print(f"{name}: tried {len(of)}, done {sum(o[2] == DONE for o in of)}, refused in words "
              f"{sum(o[2] != DONE and not o[3] for o in of)}, wrong {sum(bool(o[3]) for o in of)}")
    for _, what, _, found in outcomes:
        wrong += [f"{what}: {text}" for text in found]
    return wrong
