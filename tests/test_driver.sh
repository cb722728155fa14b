#!/bin/sh
# scripts/test-driver and scripts/count-tests: noise is reported, a failure stays one. Run by make check; needs $srcdir.
set -eu
scripts=$(cd "${srcdir:-.}" && pwd)/scripts
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export PT_ONCE_MORE=1
unset PT_TEST_LOCKS	# this test holds those of its own tree
bad=0

# drive NAME COMMAND...: as make check does; what the driver says is in said
drive() {
	name=$1
	shift
	said=$(sh "$scripts/test-driver" --test-name "$name" --log-file "$name.log" --trs-file "$name.trs" \
		--color-tests no --enable-hard-errors yes --expect-failure no -- "$@")
}

# expect WHAT WANT GOT
expect() {
	[ "$2" = "$3" ] || { printf '%s: "%s", not "%s"\n' "$1" "$3" "$2"; bad=1; }
}

# outcome SAID RESULT: of the test just driven
outcome() {
	expect "$name says" "$1" "$said"
	expect "$name in its .trs" ":test-result: $2" "$(head -1 "$name.trs")"
	[ ! -e "$name.log.first" ] && [ ! -e "$name.trs.first" ] || { echo "$name left files behind"; bad=1; }
}

cat >once <<'END'
n=$(($(cat "$1.runs" 2>/dev/null || echo 0) + 1))
echo $n >"$1.runs"
echo "this is run $n"
[ $n -gt 1 ] && exit "$2"
exit "$3"
END

drive good sh once good 0 0
outcome "PASS: good" PASS
expect "runs of a test that passes" 1 "$(cat good.runs)"
drive absent sh once absent 0 77
outcome "SKIP: absent" SKIP
drive noisy sh once noisy 0 1
outcome "FLAKY: noisy" PASS
expect "both runs are in the log" 2 "$(grep -c '^this is run' noisy.log)"
drive hard sh once hard 0 99
outcome "FLAKY: hard" PASS
drive broken sh once broken 1 1
outcome "FAIL: broken" FAIL
expect "runs of a test that fails" 2 "$(cat broken.runs)"
drive half sh once half 77 1
outcome "FAIL: half" FAIL
PT_ONCE_MORE="" drive by_hand sh once by_hand 0 1
outcome "FAIL: by_hand" FAIL

# Alone: the second run starts when the test beside it is over. That one waits for the first run, and then for a second
# one, 2 s, which must not come.
export folder
cat >beside <<'END'
cd "$folder"
: >beside.runs
until [ -e failed ]; do sleep 0.01; done
i=0
while [ $i -lt 200 ] && [ ! -e again ]; do sleep 0.01; i=$((i + 1)); done
rm beside.runs
END
cat >alone <<'END'
[ -e failed ] && { : >again; [ ! -e beside.runs ]; exit; }
until [ -e beside.runs ]; do sleep 0.01; done
: >failed
exit 1
END

# beside_each_other TREE: the test beside it is one of the build tree TREE
beside_each_other() {
	rm -f failed again
	(cd "$1" && drive beside sh "$folder/beside"; echo "$said" >"$folder/beside.said") &
	drive alone sh alone
	outcome "FLAKY: alone" PASS
	wait
	expect "the test beside it, in $1" "PASS: beside" "$(cat beside.said)"
}
beside_each_other .
mkdir other
(export PT_TEST_LOCKS="$folder"; beside_each_other other; exit $bad) || bad=1

# A report of a sanitizer that a child leaves where nobody reads, in a tree that is built with one
cat >child <<'END'
eval "options=\$$1"
case $options in *log_path=*) echo "$2" >"${options##*log_path=}.77" ;; esac
exit "${3:-0}"
END
reports() {
	status=0
	sh "$scripts/sanitizer-reports" sh child "$@" >reports.said || status=$?
}
reports ASAN_OPTIONS "==77==ERROR: AddressSanitizer: heap-use-after-free"
expect "a tree without a sanitizer" 0 $status
echo 'CFLAGS = -g -fsanitize=address,undefined' >Makefile
for said in "ASAN ==77==ERROR: AddressSanitizer: heap-use-after-free" "ASAN ==77==ERROR: LeakSanitizer: detected memory leaks" \
	"TSAN WARNING: ThreadSanitizer: data race (pid=77)"; do
	reports "${said%% *}_OPTIONS" "${said#* }"
	expect "status with a report of ${said%% *}" 1 $status
	expect "the report is printed" "${said#* }" "$(tail -1 reports.said)"
done
reports ASAN_OPTIONS "==77==WARNING: AddressSanitizer failed to allocate 0x7fff bytes"
expect "status with a warning" 0 $status
reports ASAN_OPTIONS "==77==ERROR: AddressSanitizer: heap-use-after-free" 77
expect "status with a report, of a test that says it was skipped" 1 $status
rm Makefile

printf 'PASS: a\nFLAKY: noisy\nSKIP: c\n# TOTAL: 3\n# PASS:  2\n# SKIP:  1\n# XFAIL: 0\n# FAIL:  0\n# XPASS: 0\n# ERROR: 0\n' >fine
printf '# PASS:  5\n# SKIP:  0\n# FAIL:  1\n# ERROR: 1\nFAIL: d\nERROR: e\n' >poor
expect "counts" "$(printf 'FLAKY: noisy\nSKIP: c\n2 passed, 0 failed, 1 skipped, 1 flaky')" "$("$scripts/count-tests" fine)"
expect "counts of two" "7 passed, 2 failed, 1 skipped, 1 flaky" "$("$scripts/count-tests" fine poor | tail -1)"
"$scripts/count-tests" fine >/dev/null || { echo "no failure counts as one"; bad=1; }
! "$scripts/count-tests" fine poor >/dev/null || { echo "a failure does not count"; bad=1; }
exit $bad
