#!/bin/sh
# Tools for S12Z and MicroBlaze that Debian does not package (../shared/tools: binutils, and a GDB that knows them).
# Prints the folder that holds gdb/bin, s12z-elf/bin and microblaze-elf/bin. The first caller unpacks it, once for a
# build tree: cwd is that tree, as for every system test. Where there is nothing to unpack it says so and exits 77:
#	tools=$(sh "$srcdir/tests/system/cross_tools.sh") || { echo "SKIPPED: $tools"; exit 77; }
# PT_CROSS_TOOLS names a folder that is unpacked already.
set -eu
archive=${srcdir:-.}/../shared/tools/cross-tools.tar.xz
folder=$PWD/cross-tools

works() {
	[ -x "$1/s12z-elf/bin/s12z-elf-objdump" ] && "$1/s12z-elf/bin/s12z-elf-objdump" --version >/dev/null 2>&1
}

unpack() {
	mkdir -p "$folder.part"
	tar -xf "$archive" -C "$folder.part"
	mv "$folder.part/cross-tools" "$folder"
	rmdir "$folder.part"
}

if [ -n "${PT_CROSS_TOOLS:-}" ]; then
	folder=$PT_CROSS_TOOLS
elif [ ! -d "$folder" ]; then
	if [ ! -f "$archive" ]; then
		echo "there is no $archive and no PT_CROSS_TOOLS, so nobody else's S12Z tools were asked"
		exit 77
	fi
	# several tests may come at once
	exec 9>"$folder.lock"
	flock 9
	[ -d "$folder" ] || { rm -rf "$folder.part" && unpack; }
	exec 9>&-
fi
if ! works "$folder"; then
	echo "the tools in $folder do not run on this machine, so nobody else's S12Z tools were asked"
	exit 77
fi
echo "$folder"
