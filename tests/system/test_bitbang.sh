#!/bin/bash
# Debian's OpenOCD drives a virtual board over remote_bitbang, JTAG, on TCP and on a unix socket: it finds the chain by itself,
# reads the IDCODE, halts the core behind the JTAG-DP, reads and writes. (Its SWD over remote_bitbang is of a later version; with
# one on PATH that has it, it is tried, too.)
. "${srcdir:-.}/tests/system/foreign_host.sh"
need openocd openocd

# serve ADDRESS [OPTION]: a board in the background; its address is in $at, its process in $board
serve() {
	: >"$work/board"	# else it may not be there yet when it is first looked into
	./proftap board 'kl27?probe=bitbang' --listen "$@" >"$work/board" 2>"$work/board.log" &
	board=$!
	for _ in $(seq 600); do
		at=$(sed -n 's/^board //p' "$work/board")
		[ -z "$at" ] || return 0
		kill -0 $board 2>/dev/null || break
		sleep 0.1
	done
	echo "FAIL: no board on $1"
	cat "$work/board.log"
	exit 1
}

# A board that lives on when a check fails would keep the port.
trap 'kill ${board:-} 2>/dev/null; rm -rf "$work"' EXIT

# openocd_runs CONFIG COMMANDS: output in $work/log
openocd_runs() {
	timeout 300 openocd -c "gdb_port disabled; tcl_port disabled; telnet_port disabled" \
		-c "adapter driver remote_bitbang; $where; $1" -c "init; $2; shutdown" >"$work/log" 2>&1 ||
		{ echo "FAIL: openocd ended with $?"; cat "$work/log" "$work/board.log"; exit 1; }
}

jtag="transport select jtag; jtag newtap chip cpu -irlen 4 -expected-id 0x0ba00477"
core="dap create chip.dap -chain-position chip.cpu; target create chip.cpu cortex_m -dap chip.dap"
[ "$(openocd -c 'adapter driver remote_bitbang; transport select' -c shutdown 2>&1 | grep -c autoselect)" = 0 ] ||
	jtag=${jtag#*; }	# it has chosen the only one already

! ./proftap board 'kl27?probe=bitbang' --listen 127.0.0.1:0 >"$work/log" 2>&1 ||
	{ echo "FAIL: any web page may drive it"; exit 1; }
expect "TCP only by permission" 'cannot be distinguished from a web page: listen on unix:PATH, or give --allow-unidentified'
serve 127.0.0.1:0 --allow-unidentified
where="remote_bitbang host 127.0.0.1; remote_bitbang port ${at##*:}"
openocd_runs "$jtag" "echo [scan_chain]"
expect "JTAG over TCP: the chain" 'tap/device found: 0x0ba00477' 'chip.cpu +Y +0x0ba00477 0x0ba00477 +4 0x01'
openocd_runs "$jtag; $core" "halt; echo [reg pc]; step; echo [reg pc]
	mww 0x20000000 0x12345678; mwh 0x20000006 0xabcd; echo [mdw 0x20000000 2]"
expect "JTAG over TCP: the core" 'Cortex-M0\+ r0p1' 'halted due to debug-request' 'pc .*0x00000[0-9a-f]{3}' \
	'halted due to single-step' '0x20000000: 12345678 abcd'
kill "$board"
wait "$board" || true

serve "unix:$work/socket"
where="remote_bitbang host $work/socket; remote_bitbang port 0"
openocd_runs "$jtag" "echo [scan_chain]"
expect "JTAG over a unix socket" 'tap/device found: 0x0ba00477'
if openocd -c 'adapter driver remote_bitbang; transport select swd' -c shutdown >/dev/null 2>&1; then
	openocd_runs "transport select swd; swd newdap chip cpu -expected-id 0x0bc11477; $core" \
		"halt; mww 0x20000000 0x12345678; echo [mdw 0x20000000]"
	expect "SWD over a unix socket" 'SWD DPIDR 0x0bc11477' 'halted due to debug-request' '0x20000000: 12345678'
else
	echo "note: this OpenOCD has no SWD over remote_bitbang"
fi

# proftap after OpenOCD, and each wire after the other: the debug port stays in SWD when a host goes
for wire in jtag swd jtag; do
	./proftap monitor --probe "bitbang:unix:$work/socket" --set transport=$wire status >"$work/log" 2>&1
	expect "proftap by $wire" 'attached: MKL27Z256'
done
