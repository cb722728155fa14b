#!/bin/sh
# The two wings stay apart: who may include whom, by folder. Run by make check; needs $srcdir.
set -eu
cd "${srcdir:-.}"
bad=0

# forbid FOLDERS PATTERN WHY: no file under FOLDERS may include what matches PATTERN
forbid() {
	# shellcheck disable=SC2086
	found=$(grep -rnE "^#include [<\"]($2)" $1 --include='*.[ch]' 2>/dev/null || true)
	[ -z "$found" ] || { echo "$3:"; echo "$found"; bad=1; }
}

pure="src/isa src/program src/decode src/profile src/report"
forbid src/trace "(probes|targets|gdbstub|isa|program|decode|profile|report|board|session)" "src/trace includes nothing of the project's layers"
forbid "$pure" "(probes|targets|gdbstub|board|session|analyst|queue|live|log|uv)" "the pure wing does no I/O and has no log"
forbid src/isa "(program|decode|profile|report)" "an instruction set stands alone"
forbid src/decode "(program|profile|report|isa)" "decoders never see the ELF"
forbid src/program "(decode|profile|report)" "calls go down only"
forbid src/profile "report/(report|views|format)" "statistics do not know how they look"
forbid targets "(program|decode|profile|report|isa|gdbstub|board|session)" "the hardware wing does no statistics"
forbid "probes/links probes/cmsis_dap" "(targets|program|decode|profile|report|gdbstub|board|session)" "a probe knows wires only"
forbid probes/virtual "(targets|program|decode|profile|report|isa|gdbstub|board|session|analyst)" "models are written from the facts alone"
forbid "src/trace $pure" "(uv|libusb|hidapi|pthread|time\\.h)" "the pure wing has no clock and no thread"
exit $bad
