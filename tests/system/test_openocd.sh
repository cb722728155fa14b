#!/bin/bash
# Debian's OpenOCD drives the virtual KL27 through the emulated USB probe, both interfaces: it finds the chip by its
# own chip file, halts, steps, reads and writes, programs the flash with its own driver and has the core check it.
. "${srcdir:-.}/tests/system/foreign_host.sh"
need openocd openocd

# openocd_runs BACKEND COMMANDS [SET-UP]: output in $work/log
openocd_runs() {
	timeout 600 $usb_probe --hidraw -- openocd \
		-c "gdb_port disabled; tcl_port disabled; telnet_port disabled" \
		-c "adapter driver cmsis-dap; cmsis_dap_vid_pid 0x1209 0x0001; cmsis_dap_backend $1" \
		-c "${3:-transport select swd; source [find target/klx.cfg]}" -c "adapter speed 4000; init; $2; shutdown" >"$work/log" 2>&1 ||
		{ echo "FAIL: openocd ended with $?"; cat "$work/log"; exit 1; }
}

seq 1000 2000 | head -c 4893 >"$work/blob"
for backend in usb_bulk hid; do
	openocd_runs $backend "reset halt; echo [reg pc]; step; echo [reg pc]
		mww 0x20000000 0x12345678; mwh 0x20000006 0xabcd; mwb 0x20000005 0x99
		echo [mdw 0x20000000 2]; echo [mdb 0x20000001 2]
		reg r3 0xcafe0001; echo [reg r3]; reg psp 0x20001000; echo [reg psp]"
	expect "$backend: detects" 'SWD DPIDR 0x0bc11477' 'Cortex-M0\+ r0p1' '2 breakpoints, 2 watchpoints'
	expect "$backend: halts and steps" 'halted due to debug-request' 'pc .*0x00000[0-9a-f]{3}' \
		'halted due to single-step' 'pc .*0x00000[0-9a-f]{3}'
	expect "$backend: reads and writes" '0x20000000: 12345678 abcd99' '0x20000001: 56 34' \
		'r3 .*0xcafe0001' 'psp .*0x20001000'

	openocd_runs $backend "kinetis mdm check_security; reset halt
		echo [flash write_image erase $work/blob 0x8000 bin]; echo [verify_image $work/blob 0x8000 bin]
		echo [verify_image $demo]; bp [expr {[read_memory 4 32 1] & ~1}] 2 hw; reset run; sleep 100"
	expect "$backend: programs" 'Chip is unsecured' 'MKL27Z256' 'wrote 5120 bytes' \
		'verified 4893 bytes' 'verified [0-9]+ bytes'
	expect "$backend: meets a breakpoint" 'halted due to breakpoint'
done

openocd_runs usb_bulk "echo [scan_chain]; halt; mww 0x20000000 0x12345678; echo [mdw 0x20000000]" \
	"transport select jtag; jtag newtap chip cpu -irlen 4 -expected-id 0x0ba00477
		dap create chip.dap -chain-position chip.cpu; target create chip.cpu cortex_m -dap chip.dap"
expect "by JTAG" 'tap/device found: 0x0ba00477' 'Cortex-M0\+ r0p1' '0x20000000: 12345678'

head -c 16384 /dev/urandom >"$work/in"
openocd_runs usb_bulk "halt; echo [load_image $work/in 0x1fffe000 bin]; echo [dump_image $work/out 0x1fffe000 16384]"
expect "half of RAM, in and out" '16384 bytes written at' 'dumped 16384 bytes'
cmp "$work/in" "$work/out"

# one of several ports on the wire, by OpenOCD's own file for the RP2040
board=$usb_probe
usb_probe="$board --board kl27?variant=multi-drop"
openocd_runs usb_bulk "halt; echo [reg pc]; echo [mdw 0x0 1]" \
	"transport select swd; set USE_CORE 0; source [find target/rp2040.cfg]"
expect "SWD multi-drop" 'SWD DPIDR 0x0bc12477, DLPIDR 0x00000001' 'Cortex-M0\+ r0p1' 'pc .*0x00000[0-9a-f]{3}' '0x00000000: 20006000'

# both cores of such a wire, by the same file: each halts and steps by itself
usb_probe="$board --board kl27?variant=second-core&elf=$here/tests/firmware/cores.elf"
openocd_runs usb_bulk "sleep 20; rp2040.core0 arp_halt; rp2040.core0 arp_waitstate halted 1000; echo \"first [rp2040.core0 read_memory 0xd0000000 32 1]\"
		echo \"second [rp2040.core1 read_memory 0xd0000000 32 1] [rp2040.core1 curstate]\"; targets rp2040.core1; halt; reg r3 0xcafe0001
		echo [reg r3]; step; resume; targets rp2040.core0; reg r3 0x12340000; targets rp2040.core1; halt
		echo \"[rp2040.core0 curstate] [rp2040.core1 curstate]\"" \
	"source [find target/rp2040.cfg]"
expect "both cores by SWD multi-drop" 'SWD DPIDR 0x0bc12477, DLPIDR 0x00000001' 'SWD DPIDR 0x0bc12477, DLPIDR 0x10000001' '^first 0x0' \
	'^second 0x1 running' 'r3 .*0xcafe0001' 'halted due to single-step' '^halted halted'

# a Cortex-M4F: all registers, a watchpoint, a fault that its vector catch meets
usb_probe="$board --board cm4"
openocd_runs usb_bulk "reset halt; echo [reg pc]; step; echo [reg pc]; reg r3 0xcafe0001; echo [reg r3]
		reg d2 0x3f8000003f800000; echo [reg d2]; echo [reg basepri]; wp 0x20000000 4 w; resume; wait_halt 1000; rwp 0x20000000
		mww 0x22000004 1; echo [mdb 0x20000000]; cortex_m vector_catch hard_err bus_err; mww 0xe000ed24 0x20000
		mww 0x20001000 0x47706800; reg r0 0x30000000; reg pc 0x20001000; resume; wait_halt 1000; echo [mdw 0xe000ed28]" \
	"transport select swd; swd newdap chip cpu -irlen 4 -expected-id 0x2ba01477
		dap create chip.dap -chain-position chip.cpu; target create chip.cpu cortex_m -dap chip.dap"
expect "Cortex-M4F" 'SWD DPIDR 0x2ba01477' 'Cortex-M4 r0p1' '6 breakpoints, 4 watchpoints' 'halted due to debug-request' \
	'pc .*0x00000[0-9a-f]{3}' 'halted due to single-step' 'r3 .*0xcafe0001' 'd2 .*0x3f8000003f800000' 'basepri .*0x00' \
	'halted due to watchpoint' '0x20000000: [0-9a-f][2367abef]' 'halted due to' '0xe000ed28: 00008200'

# its trace: OpenOCD sets up TPIU and ITM, and has the probe listen. The program sends its rounds, each one more than before.
usb_probe="$board --board cm4?elf=$here/tests/firmware/cm4_trace.elf"
openocd_runs usb_bulk "chip.tpiu configure -protocol uart -traceclk 25000000 -pin-freq 500000 -output $work/swo; chip.tpiu enable
		itm port 1 on; mww 0xe0001000 0x10001; sleep 200; chip.tpiu disable" \
	"transport select swd; swd newdap chip cpu -irlen 4 -expected-id 0x2ba01477
		dap create chip.dap -chain-position chip.cpu; target create chip.cpu cortex_m -dap chip.dap
		tpiu create chip.tpiu -dap chip.dap -ap-num 0 -baseaddr 0xE0040000"
./tests/system/itm_listing <"$work/swo" >"$work/packets"
python3 -c 'import sys
rounds = [int(line.split()[4], 16) for line in sys.stdin if line.startswith("port 1 4 ")]
print("rounds", sum(b == a + 1 for a, b in zip(rounds, rounds[1:])))' <"$work/packets" >"$work/log"
grep '^hardware 1 2' "$work/packets" >>"$work/log" || true
expect "trace of a Cortex-M4F" '^rounds [1-9][0-9]' '^hardware 1 2 0 0x1018 3$' '^hardware 1 2 0 0x2018 3$'

# a Cortex-M7 behind a ROM table of its port, with a Cortex-M4 behind access port 3
usb_probe="$board --board cm7?variant=second-core&elf=$here/tests/firmware/cores.elf"
openocd_runs usb_bulk "sleep 20; targets chip.m7; halt; echo [reg pc]; step; reg d2 0x3f8000003f800000; echo [reg d2]
		echo \"number [chip.m7 read_memory 0xd0000000 32 1] [chip.m4 read_memory 0xd0000000 32 1]\"
		bp 0x464 2 hw; resume; wait_halt 1000; echo [reg pc]; rbp 0x464
		targets chip.m4; halt; reg r3 0xcafe0001; echo [reg r3]; step; resume; targets chip.m7; resume" \
	"transport select swd; swd newdap chip cpu -irlen 4 -expected-id 0x2ba01477
		dap create chip.dap -chain-position chip.cpu; target create chip.m7 cortex_m -dap chip.dap -ap-num 0
		target create chip.m4 cortex_m -dap chip.dap -ap-num 3"
expect "Cortex-M7 and M4" 'Cortex-M7 r1p2' '8 breakpoints, 4 watchpoints' 'Cortex-M4 r0p1' '6 breakpoints, 4 watchpoints' \
	'd2 .*0x3f8000003f800000' '^number 0x0 0x1' 'halted due to breakpoint' 'pc .*0x00000464' 'r3 .*0xcafe0001'
