#!/bin/bash
# Memcheck finds what the sanitizers do not: values that nobody set, in our code and on the way into other libraries.
. "${srcdir:-.}/tests/system/foreign_host.sh"
need valgrind valgrind

checked() {
	timeout 900 valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$@" \
		>"$work/out" 2>"$work/log" || { echo "FAIL: $* ended with $?"; cat "$work/log"; exit 1; }
}

for words in "--mode burst" "--mode stream" "--mode halt" "--source pcsr"; do
	# shellcheck disable=SC2086
	checked ./proftap profile --probe 'virtual:kl27?clock=virtual' --elf "$demo" --for 20ms --format json $words
	"${srcdir:-.}/tests/system/json_report.py" "$work/out" || { echo "FAIL: $words: no report"; cat "$work/log"; exit 1; }
	echo "ok: profile $words"
done
checked ./proftap probes --json
echo "ok: probes"
