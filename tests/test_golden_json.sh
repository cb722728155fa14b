#!/bin/sh
# The golden reports of the unit tests are what doc/proftap-profile-1.schema.json allows. Run by make check; needs $srcdir.
set -eu
cd "${srcdir:-.}/tests"
for file in golden/*.json; do
	case $file in
	*.speedscope.json) ;;	# another's schema
	golden/old_*) ;;	# figures of old captures (system/test_old_captures), not whole reports
	*) set -- "$@" "$file" ;;
	esac
done
[ $# -ge 3 ] || { echo "only $# golden reports"; exit 1; }
exec system/json_report.py "$@"
