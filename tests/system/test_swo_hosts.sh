#!/bin/bash
# Foreign hosts receive SWO from the virtual probes as USB devices: OpenOCD by CMSIS-DAP, ST-Link and J-Link, into a file. From
# where it has set the pin up, the file's bytes are those that the pin sent.
. "${srcdir:-.}/tests/system/foreign_host.sh"
need openocd openocd

# openocd_receives NAME BOARD ADAPTER: the pin's bytes in $work/pin, what OpenOCD had of them in $work/got
openocd_receives() {
	rm -f "$work/pin" "$work/got"
	timeout 60 $usb_probe --serial 123456 --board "cm4?swo-log=$work/pin$2" -- openocd \
		-c "gdb_port disabled; tcl_port disabled; telnet_port disabled; adapter driver $3; adapter speed 4000" \
		-c "swd newdap chip cpu -expected-id 0x2ba01477; dap create chip.dap -chain-position chip.cpu" \
		-c "target create chip.cpu cortex_m -dap chip.dap; tpiu create chip.tpiu -dap chip.dap -ap-num 0 -protocol uart \
			-formatter off -traceclk 25000000 -pin-freq 250000 -output $work/got; init; chip.tpiu enable" \
		-c "mww 0xe0000fb0 0xc5acce55; mww 0xe0000e80 0x1000d; mww 0xe0001000 0x00011bff; sleep 300" \
		-c "mww 0xe0000e80 0; sleep 200; chip.tpiu disable; shutdown" >"$work/log" 2>&1 ||
		{ echo "FAIL: $1: openocd ended with $?"; cat "$work/log"; exit 1; }
	python3 - "$1" "$work/pin" "$work/got" <<'PYTHON' || { cat "$work/log"; exit 1; }
import sys

name, pin, got = sys.argv[1], open(sys.argv[2], "rb").read(), open(sys.argv[3], "rb").read()
idle = b"\xff\xff\xff\x7f"		# before: the pin sends frames by Manchester, as after reset
sent = pin[pin.rindex(idle) + len(idle):].lstrip(b"\xff\x7f")	# a frame that was cut
if len(sent) < 1000 or not got.endswith(sent):
	sys.exit(f"FAIL: {name}: of {len(sent)} bytes of the pin {len(got)} came, {sent[:16].hex()} ... and {got[-len(sent):][:16].hex()} ...")
print(f"ok: {name}: {len(sent)} bytes, each as the pin sent it")
PYTHON
}

openocd_receives "CMSIS-DAP" "" "cmsis-dap; cmsis_dap_vid_pid 0x1209 0x0001; cmsis_dap_backend usb_bulk; transport select swd"
openocd_receives "ST-Link" "&probe=stlink" "st-link; st-link vid_pid 0x0483 0x3748; transport select dapdirect_swd"
openocd_receives "J-Link" "&probe=jlink" "jlink; transport select swd"
