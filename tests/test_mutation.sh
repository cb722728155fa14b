#!/bin/sh
# Each fault of make mutation can still be made: the list follows the code. Run by make check; needs $srcdir.
exec "${srcdir:-.}/tests/mutation/mutation" --check
