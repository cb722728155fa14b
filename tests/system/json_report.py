#!/usr/bin/env python3
"""What proftap prints as JSON, read by the letter of its schema in doc/: a key too many, one too few, or a number that
stands for "not known" fails the test that reads it. As a program: json_report.py FILE... validates reports."""
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    sys.path.append("/usr/lib/python3/dist-packages")   # Debian's packages, for a python3 that is not Debian's
    try:
        import jsonschema
    except ImportError:
        print("SKIPPED: python3-jsonschema is missing (scripts/setup test), so no JSON can be validated")
        sys.exit(77)

DOC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "doc")
validators = {}


def validator(name):
    if name not in validators:
        with open(os.path.join(DOC, name + ".schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        validators[name] = jsonschema.Draft7Validator(schema)
    return validators[name]


def no_constant(name):
    raise ValueError(f"{name} is no JSON")


def read(text, name="proftap-profile-1"):
    """The object that text, or bytes, is."""
    read_object = json.loads(text, parse_constant=no_constant)
    wrong = jsonschema.exceptions.best_match(validator(name).iter_errors(read_object))
    if wrong is not None:
        where = "".join(f"[{step!r}]" for step in wrong.absolute_path)
        raise AssertionError(f"{name}.schema.json does not allow it: {where}: {wrong.message[:300]}")
    return read_object


def report(text):
    return read(text)


def probes(text):
    return read(text, "proftap-probes-1")


def events(text):
    return read(text, "proftap-events-1")


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            report(file.read())
