#!/bin/bash
# Debian's pyocd-tool drives the virtual KL27 through the emulated USB probe. It walks the ROM tables and believes only
# CoreSight blocks whose identification is right.
. "${srcdir:-.}/tests/system/foreign_host.sh"
need pyocd-tool python3-pyocd

pyocd_runs() {
	printf '%s\n' "$@" exit | timeout 600 $usb_probe -- pyocd-tool -t cortex_m >"$work/log" 2>&1 ||
		{ echo "FAIL: pyocd-tool ended with $?"; cat "$work/log"; exit 1; }
}

timeout 600 $usb_probe -- pyocd-tool list >"$work/log" 2>&1
expect "lists the probe" 'proftap virtual CMSIS-DAP .*V0001'

pyocd_runs "reset -h" "reg pc" "step" "status" "wreg r3 0xcafe0001" "reg r3" \
	"write32 0x20000000 0x12345678 0x9abcdef0" "read32 0x20000000 8" "write8 0x20000001 0x99" "read8 0x20000000 4" \
	"read16 0x20000006 2" "go" "status"
expect "detects" 'Connected to CoreSightTarget'
expect "halts and steps" 'pc = 0x00000' 'PC = 0x00000' 'Core 0 status: +Halted'
expect "reads and writes" 'r3 = 0xcafe0001' '20000000: +12345678 9abcdef0' '20000000: +78 99 34 12' '20000006: +9abc'
expect "resumes" 'Core 0 status: +(Running|Sleeping)'

board=$usb_probe
usb_probe="$board --board cm4"
pyocd_runs "reset -h" "reg pc" "step" "status" "wreg s4 0x3f800000" "reg s4" "write32 0x20000000 0x12345678" \
	"read32 0x20000000 4" "break 0x100" "lsbreak" "go" "status"
expect "detects a Cortex-M4F" 'Connected to CoreSightTarget'
expect "has its registers" 'pc = 0x00000' 'PC = 0x00000' 'Core 0 status: +Halted' 's4 = ' '20000000: +12345678'

# its ROM table is behind another one; AP 3 has a Cortex-M4
usb_probe="$board --board cm7?variant=second-core&elf=$here/tests/firmware/cores.elf"
pyocd_runs "reset -h" "reg pc" "step" "status" "wreg d2 0x3ff0000000000000" "reg d2" "write32 0x20000100 0x12345678" \
	"read32 0x20000100 4" "break 0x464" "lsbreak" "go" "status"
expect "detects a Cortex-M7" 'Connected to CoreSightTarget'
expect "has its registers" 'pc = 0x00000' 'PC = 0x00000' 'Core 0 status: +Halted' '20000100: +12345678'
