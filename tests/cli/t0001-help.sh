#!/usr/bin/env bash
# Help comes from the tables, on stdout, and covers every command.
. "$(dirname "$0")/../lib.sh"

run foresee --version
is "$status" 0 "--version"
has out '^foresee [0-9]' "the version"

run foresee --help
is "$status" 0 "--help"
commands=$(sed -n '/^commands/,/^$/s/^  \([a-z]*\) .*/\1/p' out)
is "$(echo $commands)" "run record observe check verify replay explore guard spec print stats export diff config help" "the commands"
run foresee help
is "$status" 0 "help"
has out '^  record ' "lists the commands"

for c in $commands; do
	run foresee $c --help
	is "$status" 0 "$c --help"
	has out "^usage: foresee $c " "$c: usage"
	has out '^  -h, --help ' "$c: options"
	cp out direct
	run foresee help $c
	same out direct "help $c says the same"
	run foresee help --plain $c
	same out direct "help --plain $c too"
	[ $c = help ] && continue
	ok "$c has a manual page" test -s "$SRC/doc/man/foresee-$c.1"
done

# Every option of a table stands in its manual page.
for c in run record observe check print stats verify replay explore spec export diff; do
	foresee $c --help | sed -n '/^options/,$s/^.\{6\}--\([a-z-]*\).*/\1/p' >options
	missing=
	while read -r o; do
		grep -Eq "^\.It (Fl [a-zA-Z] , )?Fl -$o( |$)" "$SRC/doc/man/foresee-$c.1" || missing="$missing $o"
	done <options
	ok "$c: has options" test -s options
	is "$missing" "" "$c: all options are in the manual page"
done

if command -v man >/dev/null && man -l "$SRC/doc/man/foresee.1" >/dev/null 2>&1; then
	for page in "$SRC"/doc/man/*.[1-9]; do
		case $page in *c++.1) continue ;; esac # one line: the page of foresee-cc
		run env LC_ALL=C.UTF-8 MANROFFSEQ= MANWIDTH=80 man --warnings -l "$page"
		is "$status" 0 "$(basename "$page") can be shown"
		is "$(cat err)" "" "$(basename "$page") without warnings"
		if command -v lexgrog >/dev/null; then
			run lexgrog "$page"
			name=$(basename "$page")
			has out "\"${name%.*} - " "$name can be found by whatis"
		fi
	done
fi
done_testing
