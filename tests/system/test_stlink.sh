#!/bin/bash
# Foreign hosts on the virtual ST-Link as a USB device, and proftap's own driver: OpenOCD 0.12 by SWD and by JTAG, st-info,
# and proftap with serial numbers that are bytes, numbers that no list has, and firmware that is too old.
. "${srcdir:-.}/tests/system/foreign_host.sh"
need openocd openocd

ids="0x0483 0x3748 0x0483 0x374b 0x0483 0x374f"
debug="halt; cortex_m maskisr off; mww 0x20000000 0x12345678; mwh 0x20000006 0xabcd; mwb 0x20000005 0x99
	mwb 0x20000004 0x77; echo [mdw 0x20000000 2]; echo [mdb 0x20000005]; reg r3 0xcafe0001; echo [reg r3]; step"
seen=('halted due to debug-request' '0x20000000: 12345678 abcd9977' '0x20000005: 99' 'r3 .*0xcafe0001' 'halted due to single-step')

# openocd_runs BOARD TRANSPORT TAP COMMANDS: output in $work/log
openocd_runs() {
	timeout 60 $usb_probe --board "$1" -- openocd -c "gdb_port disabled; tcl_port disabled; telnet_port disabled" \
		-c "adapter driver st-link; st-link vid_pid $ids; transport select $2; adapter speed 4000; $3" \
		-c "dap create chip.dap -chain-position chip.cpu; target create chip.cpu cortex_m -dap chip.dap; init; $4; shutdown" \
		>"$work/log" 2>&1 || { echo "FAIL: openocd ended with $?"; cat "$work/log"; exit 1; }
}

kl27="swd newdap chip cpu -expected-id 0x0bc11477"
while read -r kind version; do
	openocd_runs "kl27?probe=stlink&stlink=$kind" dapdirect_swd "$kl27" "$debug"
	expect "$kind by SWD" "STLINK $version" 'Target voltage: 3.30' 'SWD DPIDR 0x0bc11477' 'Cortex-M0\+ r0p1' "${seen[@]}"
done <<-KINDS
	v2j37 V2J37S7
	v3j7 V3J7M2B3
	v2j24 V2J24S4
KINDS
openocd_runs "cm4?probe=stlink&stlink=v21" dapdirect_swd "swd newdap chip cpu -expected-id 0x2ba01477" "$debug"
expect "v21 by SWD" 'STLINK V2J39M27' 'Cortex-M4 r0p1' "${seen[@]}"
openocd_runs "kl27?probe=stlink" dapdirect_jtag "jtag newtap chip cpu -irlen 4" "$debug"
expect "by JTAG" 'Cortex-M0\+ r0p1' "${seen[@]}"

head -c 16384 /dev/urandom >"$work/in"
openocd_runs "kl27?probe=stlink" dapdirect_swd "$kl27" \
	"halt; echo [load_image $work/in 0x1fffe000 bin]; echo [dump_image $work/out 0x1fffe000 16384]"
expect "half of RAM, in and out, in blocks of 4 KiB" '16384 bytes written at' 'dumped 16384 bytes'
cmp "$work/in" "$work/out"

# proftap_runs OPTIONS... -- ARGUMENTS...: with the probe so plugged in; output in $work/log
proftap_runs() {
	options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	XDG_RUNTIME_DIR=$work timeout 30 $usb_probe "${options[@]}" -- ./proftap "$@" >"$work/log" 2>&1 || true
}

raw=(--raw-serial 57FF72067265575742132067)
proftap_runs "${raw[@]}" --board "kl27?probe=stlink" -- probes
expect "a serial number of bytes" 'stlink:serial=57FF72067265575742132067' 'V2J37S7, target at 3.30 V'
proftap_runs "${raw[@]}" --denied --board "kl27?probe=stlink" -- probes
expect "and where the device may not be asked" 'serial 57FF72067265575742132067' 'idVendor.=="0483"'
proftap_runs "${raw[@]}" --board "kl27?probe=stlink&stlink=v3j7" -- monitor --probe stlink:serial=57FF72067265575742132067 status
expect "and by it" 'attached: MKL27Z256' '3300000 Hz, target at 3.30 V'
proftap_runs --id 0483:375e --board "kl27?probe=stlink&stlink=v21" -- monitor --probe stlink: status
expect "numbers of no list, by the shape of the interface" 'attached: MKL27Z256'
proftap_runs --board "kl27?probe=stlink&stlink=v2j20" -- monitor --probe stlink: status
expect "too old" 'firmware V2J20S4 is too old for registers of the debug port: V2J24 is needed'
proftap_runs --board "cm4?probe=stlink" -- monitor --probe stlink: --set transport=jtag status
expect "JTAG through the firmware" 'attached: Cortex-M4' 'DPIDR 0x0ba00477'

need st-info stlink-tools
timeout 20 $usb_probe "${raw[@]}" --board "kl27?probe=stlink" -- st-info --probe >"$work/log" 2>&1
expect "st-info" 'Found 1 stlink' 'version: *V2J37S7' 'serial: *57FF72067265575742132067'
timeout 20 $usb_probe "${raw[@]}" --board "cm4?probe=stlink&stlink=v3j7" -- st-info --probe >"$work/log" 2>&1
expect "st-info on a V3" 'Found 1 stlink' 'version: *V3J7' 'serial: *57FF72067265575742132067'
