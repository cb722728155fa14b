# What the tests of foreign hosts share; sourced. A host runs with the emulated USB probe plugged in, and its output
# must hold the stated lines in their order.
set -eu
export PROFTAP_CONFIG=/dev/null	# not what stands on this machine for its own board

here=${srcdir:-.}
usb_probe=./tests/usb_probe
demo=$here/tests/firmware/demo.elf
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# need PROGRAM PACKAGE: or skip, loudly
need() {
	command -v "$1" >/dev/null && return
	echo "SKIPPED: $1 is not there (Debian package $2), so nobody else's host was tried on the virtual probe"
	exit 77
}

# expect NAME REGEX...: each matches a line of $work/log behind the line that matched before
expect() {
	name=$1
	shift
	at=1
	for regex; do
		line=$(tail -n "+$at" "$work/log" | grep -nE -m1 -- "$regex" | cut -d: -f1)
		if [ -z "$line" ]; then
			echo "FAIL: $name: no line \"$regex\" from line $at on:"
			cat "$work/log"
			exit 1
		fi
		at=$((at + line))
	done
	echo "ok: $name"
}
