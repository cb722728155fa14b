#!/usr/bin/env python3
"""What proftap prints as JSON, read by the letter of its schema in doc/: a key too many, one too few, or a number that
stands for "not known" fails the test that reads it. As a program: json_report.py FILE... validates reports."""
import json
import os
import sys

try:
    import fastjsonschema
except ImportError:
    sys.path.append("/usr/lib/python3/dist-packages")   # Debian's packages, for a python3 that is not Debian's
    try:
        import fastjsonschema
    except ImportError:
        print("SKIPPED: python3-fastjsonschema is missing (scripts/setup test), so no JSON can be validated")
        sys.exit(77)

DOC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "doc")
validators = {}


def validator(name):
    """Compiled once, which takes as long as thirty reports: truth and torture read hundreds."""
    if name not in validators:
        with open(os.path.join(DOC, name + ".schema.json"), encoding="utf-8") as file:
            validators[name] = fastjsonschema.compile(json.load(file))
    return validators[name]


def no_constant(name):
    raise ValueError(f"{name} is no JSON")


def read(text, name="proftap-profile-1"):
    """The object that text, or bytes, is."""
    read_object = json.loads(text, parse_constant=no_constant)
    try:
        validator(name)(read_object)
    except fastjsonschema.JsonSchemaException as wrong:
        raise AssertionError(f"{name}.schema.json does not allow it: {str(wrong)[:400]}") from None
    return read_object


def known_lost(account):
    """In ns: all that was lost, or where a fault does not tell its time, what is known."""
    return account["lost_ns"] if account["lost_ns"] is not None else account.get("lost_ns_at_least")


def check_sums(where, account):
    """Law 1: what became of the time, where it is known: a dump has no clock."""
    if account["total_ns"] is None:
        assert account["observed_ns"] is None and account["lost_ns"] is None, f"{where}: parts of no time"
        return
    if "sources" in account:
        check_run(where, account)
        return
    if account["observed_is_bound"]:
        assert account["observed_ns"] is None and account["unobserved_ns"] is None, f"{where}: a bound is no number"
        parts = account["observed_ns_at_most"] + account["unobserved_ns_at_least"] + known_lost(account)
    else:
        parts = account["observed_ns"] + account["unobserved_ns"] + account["lost_ns"]
    assert parts == account["total_ns"], f"{where}: {parts} ns in its parts, {account['total_ns']} in all"


def check_run(where, what):
    """Of several sources each has an account of its own, and the run is as long as the clock says, once."""
    assert all(what[key] is None for key in ("observed_ns", "unobserved_ns", "lost_ns")), f"{where}: sums of several sources"
    assert all(cause["ns"] is None for cause in what["loss"]), f"{where}: sums of several sources"
    for source in what["sources"]:
        check_sums(f"{where}: {source['source']}", source)
    longest = max(source["total_ns"] or 0 for source in what["sources"])
    assert longest <= what["total_ns"], f"{where}: a source lasted {longest} ns of {what['total_ns']}"


def accounts(what):
    """The accounts of time, one for each source."""
    return what.get("sources", [what])


def lost_ns(what):
    """What the source lost that lost most."""
    return max(known_lost(account) or 0 for account in accounts(what))


def check_exact(what):
    """Law 3: exact only where nothing is missing."""
    if what["count_exactness"] == "exact":
        assert what["incomplete"] is None and not what["cut_short"], f"counts are exact, but {what['incomplete']}"


def shares_by(rows, key, share):
    sums = {}
    for row in rows:
        if row.get(share) is not None and row.get(key) is not None:
            name = (row.get("core"), row[key])
            sums[name] = sums.get(name, 0) + row[share]
    return sums


def check_shares(what):
    """Laws 1 and 2: parts of one thing are not more than it, and a function has one share in all tables."""
    of = {view: shares_by(what.get(view) or [], key, "net_share")
          for view, key in (("functions", "name"), ("lines", "function"), ("instructions_rows", "function"))}
    for view, sums in of.items():
        for core in {core for core, _ in sums}:
            whole = sum(share for (of_core, _), share in sums.items() if of_core == core)
            assert whole <= 1 + 1e-6, f"{view}: the shares of core {core} are {whole}"
    if what["share_exactness"] in ("exact", "modelled") and of["instructions_rows"]:
        for name, share in of["functions"].items():
            other = of["instructions_rows"].get(name, 0)
            assert name[1].startswith("(") or abs(share - other) < 1e-6, f"{name}: {share} in functions, {other} in instructions"


def report(text):
    """It keeps the laws of a report, too (src/report/laws/laws.h), as far as JSON shows them."""
    what = read(text)
    check_sums("time", what)
    check_exact(what)
    check_shares(what)
    return what


def probes(text):
    return read(text, "proftap-probes-1")


def events(text):
    return read(text, "proftap-events-1")


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            report(file.read())
