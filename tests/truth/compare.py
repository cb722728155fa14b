"""What proftap printed, against the truth: row by row and figure by figure. A figure is right, or wrong, or has an interval
that holds or not; null is right where it says that nothing is known. An interval is kept with its truth and its width."""
import statistics
import subprocess

CLASSES = ("<2%", "2-20%", ">20%")


def class_of(share):
    return CLASSES[0] if share < 0.02 else CLASSES[1] if share <= 0.2 else CLASSES[2]


def near(printed, true, exact):
    """An exact share of a steady program is near the truth of another stretch of it; any other is right to the digit."""
    return abs(printed - true) <= (another_stretch(true) if exact else 1e-6)


def another_stretch(share):
    """So much may the share of a steady program be another one elsewhere in its run."""
    return 0.03 * share + 3e-4


NO_SYMBOL = "(no symbol)"
EXACT_SHARES = [False]		# whether the report at hand says that its shares are exact, or modelled
BOUNDS = [False]		# whether its limits of shares have room for what was not recorded, and for no chance


def is_of_report(printed, reported, says):
    """says: the words of a format, or True where it has no place for any. A format that has no place for intervals has the same estimate as JSON, whose interval is judged there; and where
    words have a place it says that it is an estimate, and how good."""
    if reported is None:	# no share is known: the format has what was seen, and says so
        return says is True or SAYS_SEEN in says
    return (says is True or any(words in says for words in SAYS)) and reported[1] is not None and printed is not None and \
        abs(printed - reported[0]) <= 0.002 + 0.005 * reported[0]


SAYS = "95 % interval", "bounds for the"	# of the largest share: in the facts of every format that has a place for words
SAYS_SEEN = "no shares"


class Result:
    """Of one table: figures compared, those that are wrong, intervals."""

    def __init__(self):
        self.rows = 0
        self.exact_shares, self.bounds = EXACT_SHARES[0], BOUNDS[0]
        self.wrong = {}		# figure to [(row, printed, true)]
        self.intervals = []	# (row, truth, estimate, low, high)

    def check(self, row, figure, printed, true, close=0.0):
        self.rows += 1
        if printed is None or true is not None and abs(printed - true) <= close:
            return
        self.wrong.setdefault(figure, []).append((row, printed, true))

    def bound(self, row, figure, printed, at_least, true):
        """Nothing is known but a lower bound; true None: nor is the truth, which is of another stretch of time."""
        self.rows += 1
        if printed is not None or true is not None and at_least is not None and at_least > 1.02 * true + 1:
            self.wrong.setdefault(figure, []).append((row, printed if printed is not None else f">= {at_least}", true))

    def longest(self, row, label, figures, true, unended, spin):
        """Exact, unless one without an end lasted longer: then no number, and a true lower bound above the longest whole one. unended None:
        not known. spin: so much more may be seen of it than the truth has."""
        self.rows += 1
        printed, at_least = figures["max"], figures.get("max_at_least")
        if printed is not None:
            right = printed == true and (unended is None or unended <= true)
        else:
            right = at_least is not None and at_least > true and (unended is None or at_least <= unended + spin)
        if not right:
            self.wrong.setdefault(label + " max", []).append((row, printed if printed is not None else f">= {at_least}",
                                                              f"{true}, {unended} without an end"))

    def limit(self, row, figure, printed, at_least, true):
        """As bound(), of one that holds in 95 of 100 cases, as an interval does: its misses count as those do."""
        self.bound(row, figure, printed, None, true)
        if at_least is not None and true is not None:
            self.intervals.append((f"{figure} at least {row}", true, at_least, (at_least - 1) / 1.02, max(at_least, true)))

    def share(self, row, figure, printed, interval, true, exact):
        if printed is None:
            self.rows += 1
        elif interval is not None and self.bounds:	# of the profile's own stretch
            self.check(row, "bounds of " + figure, min(max(true, interval[0]), interval[1]), true, another_stretch(true))
        elif interval is not None:
            self.rows += 1
            self.intervals.append((figure + " " + row, true, printed, interval[0], interval[1]))
        else:
            self.rows += 1
            if not near(printed, true, self.exact_shares):
                self.wrong.setdefault(figure if exact else figure + " without interval", []).append((row, printed, true))


def demangle(elf, names):
    return subprocess.run([elf.prefix + "c++filt"], input="\n".join(names), capture_output=True, text=True,
                          check=True).stdout.splitlines()


class Expected:
    """The truth by the keys that proftap has: addresses, demangled names. Of several names of one address any will do."""

    def __init__(self, truth, family, skips_end):
        self.truth, self.family, self.skips_end = truth, family, skips_end
        self.names = demangle(truth.elf, [f[2] for f in truth.elf.functions])
        aliases = [(index, name) for index, names in truth.elf.aliases.items() for name in names]
        printed = demangle(truth.elf, [name for _, name in aliases])
        self.same = {name: self.names[index] for (index, _), name in zip(aliases, printed)}
        self.ambiguous = {name for name in self.names if self.names.count(name) > 1}
        self.ends = {f for f, s in truth.function.items() if s.open > 0}
        self.end_lines = set()
        for begin, end, name in truth.elf.functions:
            if skips_end and name in ("the_end", "_Z7the_endv"):
                where = truth.elf.lines([a for a in truth.elf.insn if begin <= a < end])
                self.end_lines |= {(file.rsplit("/", 1)[-1], line) for file, line in where.values()}

    def name(self, function):
        return self.names[function] if function >= 0 else None

    def known_as(self, printed):
        return self.same.get(printed, printed)

    flat = None			# the truth without stacks, where there is another one
    by_halt = None			# share by address, as mode halt has it
    shares, chains = {}, {}	# of JSON: name, or path, to (share, interval)
    stacks, seconds = None, None	# of a steady program: the truth with stacks, and how long the profile was

    def estimates(self, row, function, s):
        """What a profile prints of a function's counts is right when it is near the truth of so long a time."""
        found = []
        for figure, printed, rate in (
                ("count", row["count"], self.stacks.function[function].entries / self.stacks.seconds
                 if function in self.stacks.function else None),
                ("instructions", row["net_instructions"], s.instructions / self.truth.seconds)):
            if figure == "count" and row.get("count_ci95") is not None:
                continue	# durations() has the interval
            if printed is not None and rate is not None and abs(printed - rate * self.seconds) > 0.2 * rate * self.seconds + 3:
                found.append((figure, printed, rate * self.seconds))
        return found

    def skips(self, name):
        """Where the program ends it spins for ever: for how long is not its own doing. And a name that several functions
        have says not which of them it is."""
        return self.is_end(name) or name in self.ambiguous

    def is_end(self, name):
        return self.skips_end and name in ("the_end", "the_end()")


def functions(report, want, exact):
    result, truth = Result(), want.truth
    rows = {r["address"]: r for r in report["functions"]}
    ends = next((r["gross"]["total"] for r in rows.values() if want.is_end(r["name"])), 0) or 0
    for function, s in truth.function.items():
        if function < 0 or want.is_end(want.name(function)):
            continue
        name, row = want.name(function), rows.pop(truth.elf.functions[function][0], None)
        if row is None:
            if exact and s.instructions > 0:
                result.check(name, "row", 0, s.instructions)
            continue
        if exact:
            figures = [("count", row["count"], s.entries), ("partial", row["partial"], s.open),
                       ("self instructions", row["net_instructions"], s.instructions),
                       ("self total", row["net"]["total"], s.self_cycles),
                       ("total total", row["gross"]["total"] - (ends if function in want.truth.under_end else 0), s.total)]
        else:
            result.share(name, "share", row["net_share"], row.get("net_share_ci95"), s.self_cycles / max(truth.awake, 1), False)
            figures, s = want.estimates(row, function, s), want.stacks.function.get(function)
            s = None if want.family.by_log else s
        for key, label in (("net", "self"), ("gross", "total"), ("call", "call"), ("period", "period")):
            spread = getattr(s, key) if s is not None else None
            if spread is not None and spread.n > 0:
                figures.append((f"{label} min", row[key]["min"], spread.min))
                if not exact:
                    figures.append((f"{label} max", row[key]["max"], spread.max))
                else:
                    result.longest(name, label, row[key], spread.max, s.unended.get(key), ends)
                    result.check(name, f"{label} avg", row[key]["avg"], spread.total / spread.n, 1e-6 * spread.total)
        for figure, printed, true in figures:
            result.check(name, figure, printed, true)
    for row in rows.values():
        if exact and (row["count"] or row["net"]["total"]) and not want.skips(row["name"]):
            result.check(row["name"] or "?", "extra row", row["count"], 0)
    return result


def durations(report, want, exact):
    """How often, how long, how much in all, and how far apart calls are, of a program that is only seen in pieces: each figure is an
    interval that holds, a bound that is true, or null. The truth is of a part of the program's time, and so is itself
    a little uncertain."""
    result, truth, slack = Result(), want.truth, 0.01
    if exact:
        return result
    if not want.family.by_log:
        counts_of_lines(report, want, result)
    rows = {r["address"]: r for r in report["functions"]}
    for function, s in truth.function.items():
        row = rows.get(truth.elf.functions[function][0]) if function >= 0 else None
        if row is None or want.skips(want.name(function)):
            continue
        if row.get("count_ci95") is not None and s.entries >= 300:
            result.intervals.append(("count " + row["name"], s.entries / truth.seconds * want.seconds, row["count"],
                                     *row["count_ci95"]))
        if s.entries >= 300:
            share = s.total / max(truth.awake, 1)
            for figure, whole in (("gross_share", 1), ("total", (truth.awake / truth.seconds) * want.seconds)):
                bound = row.get("gross_share_at_least") if whole == 1 else row["gross"].get("total_at_least")
                if bound is not None:
                    result.intervals.append((f"{figure} at least {row['name']}", share * whole, bound, bound, whole))
        for key, label in (("gross", "total"), ("call", "call"), ("period", "period"), ("net", "self")):
            spread, figures = getattr(s, key), row[key]
            if spread.n < 100:
                continue
            result.bound(row["name"], label + " avg", figures["avg"], figures.get("avg_at_least"), spread.total / spread.n)
            result.bound(row["name"], label + " max", figures["max"], figures.get("max_at_least"), None)
            result.check(row["name"], label + " min", figures["min"], None)
            for quantile, part in (("p50", 0.5), ("p90", 0.1), ("p99", 0.01)):
                low, high = spread.reached(part + min(slack, part / 2)), spread.reached(max(0, part - slack))
                limits = figures.get(quantile + "_ci95")
                result.limit(row["name"], f"{label} {quantile}", None, figures.get(quantile + "_at_least"), high)
                if figures[quantile] is not None and limits is None:
                    result.check(row["name"], f"{label} {quantile} without interval", figures[quantile], None)
                elif limits is not None:
                    true = min(max(limits[0], low), high)
                    result.intervals.append((f"{label} {quantile} {row['name']}", true, figures[quantile], *limits))
    return result


def counts_of_lines(report, want, result):
    """Instructions that were executed, of lines: as counts of functions, estimates of so long a time."""
    true, rows = by_line(want), {}
    for row in report.get("lines", []):
        if row["file"] is not None and not want.skips(row["function"]):
            rows.setdefault((row["file"].rsplit("/", 1)[-1], row["line"] or 0), []).append(row)
    for key, found in rows.items():
        n, row = true.get(key, (0, 0))[0], found[0]
        if len(found) == 1 and n >= 300 and key not in want.end_lines and row.get("instructions_ci95") is not None:
            result.intervals.append((f"instructions of line {key[0]}:{key[1]}", n / want.truth.seconds * want.seconds,
                                     row["instructions"], *row["instructions_ci95"]))


def answers(report, want):
    """The same question asked in mode halt: no share differs by more than its interval explains, in one report of a thousand.
    Mode halt was asked for another part of the steady program's time, which is near."""
    result, rows = Result(), {r["address"]: r for r in report["functions"]}
    rows = {address: r for address, r in rows.items() if r["net_share"] is not None and r.get("net_share_ci95") is not None}
    times = statistics.NormalDist().inv_cdf(1 - 0.0005 / max(len(rows), 1)) / 1.96
    for address, row in rows.items():
        other, share, (low, high) = want.by_halt.get(address, 0), row["net_share"], row["net_share_ci95"]
        apart = (share - low if other < share else high - share) * times + 0.03 * other + 3e-4
        result.check(row["name"], "differs from mode halt", share, other, apart)
    return result


def calls(report, want, exact):
    result, edges = Result(), {}
    for (source, to), n in want.truth.edges.items():
        key = (want.name(source) if source is not None else "(exception)", want.name(to))
        edges[key] = edges.get(key, 0) + n
    for row in report["calls"]:
        if row["from"] is None or want.skips(row["to"]) or want.skips(row["from"]):
            continue
        key = (want.known_as(row["from"]), want.known_as(row["to"]))
        result.check(" -> ".join(key), "count", row["count"], edges.pop(key, 0))
    for (source, to), n in edges.items():
        if exact and not want.skips(to) and not want.skips(source):
            result.check(f"{source} -> {to}", "missing", 0, n)
    return result


def tree_paths(rows, share, want):
    """path of names to the sum of a key."""
    found, path = {}, []
    for row in rows:
        depth = row["depth"]
        path = path[:depth] + [want.known_as(row["name"])]
        if depth > 0:
            key = tuple(path[1:])
            old = found.get(key)
            value, interval = row["net_share" if share else "net"], row.get("net_share_ci95")
            if old is not None:		# of two rows: the sum of their limits
                interval = [a + b for a, b in zip(old[1], interval)] if old[1] and interval else None
            found[key] = ((old[0] + value if value is not None else old[0]) if old else value, interval)
    return found


def true_paths(want):
    found = {}
    for path, (own, _) in want.truth.paths().items():
        key = tuple(want.name(f) for f in path)
        found[key] = found.get(key, 0) + own
    return found


def tree(report, want, exact):
    result, printed, true = Result(), tree_paths(report["tree"], not exact, want), true_paths(want)
    return compare_paths(result, printed, true, want, exact)


def compare_paths(result, printed, true, want, exact, says=None):
    """says: it is a format without intervals, and says in words what one must know."""
    all_cycles, roots = max(want.truth.awake, 1), {key[0] for key in true}
    for key in set(printed) | set(true):
        if not exact and key[0] not in roots:
            continue	# a chain whose beginning was not seen: of which it is part is not known
        if any(want.skips(n) for n in key):
            continue
        text = ";".join(n or "?" for n in key)
        value, interval = printed.get(key, (0 if exact else None, None))
        if not exact and says is not None and is_of_report(value, want.chains.get(key), says):
            result.rows += 1
            continue
        if exact:
            result.check(text, "self", value, true.get(key, 0), 0.5)
        else:
            result.share(text, "share", value, interval, true.get(key, 0) / all_cycles, False)
    return result


def by_line(want):
    found = {}
    per = want.truth.instructions()
    lines = want.truth.elf.lines(list(per))
    for address, (n, cycles) in per.items():
        file, line = lines[address]
        key = (file.rsplit("/", 1)[-1], line)
        old = found.get(key, (0, 0))
        found[key] = (old[0] + n, old[1] + cycles)
    return found


def lines(report, want, exact):
    result, true, printed = Result(), by_line(want), {}
    ends = set(want.end_lines)
    for row in report["lines"]:
        key = ((row["file"] or "??").rsplit("/", 1)[-1], row["line"] or 0)
        if want.skips(row["function"]) or row["line"] is None:
            ends.add(key)
            continue
        old = printed.get(key, [0, 0, None, None])
        share = old[2] if row["net_share"] is None else (old[2] or 0) + row["net_share"]
        printed[key] = [old[0] + (row["instructions"] or 0), old[1] + (row["net"] or 0), share,
                        None if key in printed else row.get("net_share_ci95")]
    for key in (set(printed) | set(true)) - ends:
        if key[1] == 0:
            continue
        got, is_true, text = printed.get(key), true.get(key, (0, 0)), f"{key[0]}:{key[1]}"
        if exact:
            result.check(text, "instructions", got[0] if got else 0, is_true[0])
        elif got is not None:
            result.share(text, "share", got[2], got[3], is_true[1] / max(want.truth.awake, 1), False)
    return result


def instructions(report, want, exact):
    result, true = Result(), want.truth.instructions()
    all_cycles = max(want.truth.awake, 1)
    for row in report.get("instructions_rows", []):
        if want.skips(row["function"]):
            continue
        n, cycles = true.get(row["address"], (0, 0))
        if exact:
            result.check(hex(row["address"]), "count", row["count"], n)
        elif row["net_share"]:
            result.share(hex(row["address"]), "share", row["net_share"], row.get("net_share_ci95"), cycles / all_cycles, False)
    return result


def ranges(report, want, exact):
    result, rows = Result(), {r["begin"]: r for r in report["ranges"]}
    for function, s in want.truth.function.items():
        if function < 0 or want.skips(want.name(function)):
            continue
        row = rows.get(want.truth.elf.functions[function][0])
        if row is None:
            if exact and s.instructions > 0:
                result.check(want.name(function), "row", 0, s.instructions)
        elif exact:
            result.check(want.name(function), "self instructions", row["net_instructions"], s.instructions)
            result.check(want.name(function), "self total", row["net"]["total"], s.self_cycles)
        else:
            result.share(want.name(function), "share", row["net_share"], row.get("net_share_ci95"),
                         s.self_cycles / max(want.truth.awake, 1), False)
    return result


def coverage(report, want, exact):
    result, executed = Result(), {}
    for address in want.truth.instructions():
        function = want.truth.elf.function_at(address)
        executed[function] = executed.get(function, 0) + 1
    by_name = {}
    for function, n in executed.items():
        by_name.setdefault(want.name(function), []).append(n)
    for row in report["coverage"]:
        if want.skips(row["function"]):
            continue
        true = by_name.get(want.known_as(row["function"]), [0])
        if len(true) == 1 and row["instructions_observed"] is not None and (exact or row["instructions_observed"] > true[0]):
            result.check(row["function"], "instructions executed", row["instructions_observed"], true[0])
    return result


def irqs(report, want, exact):
    result, by_name = Result(), {want.name(f): s for f, s in want.truth.function.items()}
    for row in report["irqs"]:
        s = by_name.get(row["name"])
        if s is None:
            result.check(row["name"], "extra row", row["count"], 0)
        elif exact:
            result.check(row["name"], "count", row["count"], s.entries)
            result.check(row["name"], "self total", row["net"]["total"], s.self_cycles)
            result.check(row["name"], "period min", row["period"]["min"], s.period.min)
            result.check(row["name"], "period max", row["period"]["max"], s.period.max)
        else:
            result.share(row["name"], "share", row["net_share"], row.get("net_share_ci95"),
                         s.self_cycles / max(want.truth.awake, 1), False)
            if s.period.n:
                result.check(row["name"], "period avg", row["period"]["avg"], s.period.total / s.period.n,
                             0.2 * s.period.total / s.period.n)
            expected = s.entries / want.truth.seconds * want.seconds
            if row.get("count_ci95") is None:
                result.check(row["name"], "count", row["count"], expected, 0.2 * expected + 3)
    return result


def remember(report, want):
    """What the report says, which the formats must say, too."""
    want.shares = {want.known_as(r["name"]): (r["net_share"], r.get("net_share_ci95")) for r in report["functions"]
                   if r["net_share"] is not None}
    want.chains = {key: value for key, value in tree_paths(report["tree"], True, want).items() if value[0] is not None}


VIEWS = {"functions": functions, "durations": durations, "calls": calls, "tree": tree, "lines": lines, "instructions": instructions,
         "ranges": ranges, "coverage": coverage, "irqs": irqs}


# --- formats: what each says of the same, by function or by chain

def folded(text, want, exact):
    result, printed, scale = Result(), {}, 0
    for line in text.splitlines():
        chain, _, value = line.rpartition(" ")
        key = tuple(want.known_as(name) for name in chain.split(";")[1:])
        printed[key] = (printed.get(key, (0,))[0] + float(value), None)
        scale += float(value)
    if not exact and all(len(key) == 1 for key in printed):
        return by_function(result, {key[0]: v / max(scale, 1) for key, (v, _) in printed.items()}, want.flat or want, exact, True)
    if not exact:
        printed = {k: (v / max(scale, 1), None) for k, (v, _) in printed.items()}
    return compare_paths(result, printed, true_paths(want), want, exact, True)	# no line has a place for words


def by_function(result, printed, want, exact, says, figure="self total"):
    """printed: name to cycles, or to a share. says: as compare_paths() has it."""
    true = {}
    for function, s in want.truth.function.items():
        name = want.name(function) or NO_SYMBOL
        true[name] = true.get(name, 0) + s.self_cycles
    for name in set(printed) | set(true) if not exact else set(printed) | set(true) - {NO_SYMBOL}:
        if want.skips(name):
            continue
        if exact:
            result.check(name, figure, printed.get(name, 0), true.get(name, 0), 0.5)
        elif name in printed:
            if is_of_report(printed[name], want.shares.get(name), says):
                result.rows += 1
                continue
            result.share(name, "share", printed[name], None, true.get(name, 0) / max(want.truth.awake, 1), False)
    return result


def callgrind(text, want, exact):
    """Self cost by function: cost lines that do not follow calls=."""
    result, printed, name, skip, names = Result(), {}, None, False, {}
    for line in text.splitlines():
        if line.startswith("fn="):
            name = line[3:]
            if name[:1] == "(" and name[1].isdigit():
                number, _, rest = name.partition(" ")
                names[number] = rest or names.get(number)
                name = names[number]
            if "'" in name and name.rpartition("'")[2].isdigit():
                result.check(name, "recursion has a name of its own", 1, 0)
                name = name.rpartition("'")[0]
            name = want.known_as(name)
        elif line.startswith("calls="):
            skip = True
        elif line[:1].isdigit() or line[:1] in ("+", "-", "*"):
            if not skip and name is not None:
                printed[name] = printed.get(name, 0) + int(line.split()[-1])
            skip = False
    if not exact:
        scale = max(sum(printed.values()), 1)
        printed = {k: v / scale for k, v in printed.items()}
    return by_function(result, printed, want, exact, text)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind, number = tag & 7, tag >> 3
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        else:
            value, at = data[at:at + 4], at + 4
        yield number, value


def packed(value):
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        one, at = varint(value, at)
        found.append(one)
    return found


def pprof(data, want, exact):
    """Self by function: each sample's value goes to the innermost location's address (profile.proto)."""
    import gzip
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    strings, samples, locations, types, period = [], [], {}, [], 1
    for number, value in fields(data):
        if number == 1:
            types.append(dict(fields(value)))
        elif number == 2:
            ids, values = [], []
            for n, v in fields(value):
                if n == 1:
                    ids += packed(v)
                elif n == 2:
                    values += packed(v)
            samples.append((ids, values))
        elif number == 4:
            found = dict(fields(value))
            locations[found[1]] = found.get(3, 0)
        elif number == 6:
            strings.append(value.decode())
    names = [strings[t.get(1, 0)] for t in types]
    column = max((i for i, n in enumerate(names) if "time" in n or "cycles" in n or "cpu" in n), default=len(names) - 1)
    unit = strings[types[column].get(2, 0)]
    printed, rounding = {}, {}
    for ids, values in samples:
        function = want.truth.elf.function_at(locations.get(ids[0], 0)) if ids else -1
        if function >= 0:
            printed[want.name(function)] = printed.get(want.name(function), 0) + values[column]
            rounding[want.name(function)] = rounding.get(want.name(function), 0) + 1
    if unit == "nanoseconds":
        printed = {k: v * want.family.hz / 1e9 for k, v in printed.items()}
    if not exact:
        scale = max(sum(printed.values()), 1)
        printed = {k: v / scale for k, v in printed.items()}
    elif unit == "nanoseconds":
        true = {want.name(f): s.self_cycles for f, s in want.truth.function.items()}
        printed = {k: true[k] if k in true and abs(v - true[k]) <= (1 + rounding[k]) * want.family.hz / 1e9 else v for k, v in printed.items()}
    return by_function(Result(), printed, want, exact, " ".join(strings))


def csv(text, want, exact):
    """The functions of csv say what those of JSON do: count and self."""
    import csv as reader
    result = Result()
    table = list(reader.DictReader(line for line in text.splitlines() if not line.startswith("#")))
    true = {want.truth.elf.functions[f][0]: (f, s) for f, s in want.truth.function.items() if f >= 0}
    for row in table:
        if not row.get("address") or int(row["address"], 0) not in true:
            continue
        function, s = true[int(row["address"], 0)]
        if want.skips(want.name(function)):
            continue
        if exact:
            result.check(want.name(function), "count", int(row["count"]), s.entries)
            result.check(want.name(function), "self total", float(row["net.total"]), s.self_cycles)
        elif row["net_share"]:
            share, (_, interval) = float(row["net_share"]), want.shares.get(want.name(function), (None, None))
            limits = [float(row[key] or "nan") for key in ("net_share_ci95_lo", "net_share_ci95_hi")]
            if interval is not None and all(abs(a - b) < 1e-6 for a, b in zip(limits, interval)):
                result.rows += 1	# it is judged there
            else:
                result.share(want.name(function), "share", share, None, s.self_cycles / max(want.truth.awake, 1), False)
    return result


def lcov(text, want, exact):
    """DA: a line is executed or not; FNDA: how often a function was entered."""
    result, file, executed = Result(), "", {}
    true, entries = by_line(want), {}
    for function, s in want.truth.function.items():
        entries[want.name(function)] = entries.get(want.name(function), 0) + s.entries
    for line in text.splitlines():
        if line.startswith("SF:"):
            file = line.rsplit("/", 1)[-1].removeprefix("SF:")
        elif line.startswith("DA:"):
            number, times = line[3:].split(",")[:2]
            key = (file, int(number))	# one header has a section for each folder that it is named by
            executed[key] = max(executed.get(key, 0), int(int(times) > 0))
        elif line.startswith("FNDA:"):
            times, name = line[5:].split(",", 1)
            name = want.known_as(name)
            if exact and not want.skips(name):
                result.check(name, "entries", int(times), entries.get(name, 0))
    for key, times in executed.items():
        if exact and key not in want.end_lines:
            result.check(f"{key[0]}:{key[1]}", "executed", times, int(true.get(key, (0,))[0] > 0))
    return result


def speedscope(text, want, exact):
    """Chains of calls, as folded has them; weights are nanoseconds, or cycles where the clock is not known."""
    import json
    file, printed = json.loads(text), {}
    names = [frame["name"] for frame in file["shared"]["frames"]]
    for profile in file["profiles"]:
        factor = want.family.hz / 1e9 if profile["unit"] == "nanoseconds" else 1
        for sample, weight in zip(profile["samples"], profile["weights"]):
            key = tuple(want.known_as(names[at]) for at in sample)
            printed[key] = (printed.get(key, (0,))[0] + weight * factor, None)
    scale = sum(value for value, _ in printed.values())
    if exact:
        return compare_paths(Result(), {k: (round(v, 1), None) for k, (v, _) in printed.items()}, true_paths(want), want, True)
    printed = {k: (v / max(scale, 1e-9), None) for k, (v, _) in printed.items()}
    if all(len(key) == 1 for key in printed):
        return by_function(Result(), {key[0]: v for key, (v, _) in printed.items()}, want.flat or want, False, text)
    return compare_paths(Result(), printed, true_paths(want), want, False, text)


FORMATS = {"speedscope": speedscope, "csv": csv, "folded": folded, "callgrind": callgrind, "pprof": pprof, "lcov": lcov}
