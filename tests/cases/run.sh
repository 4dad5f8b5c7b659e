#!/usr/bin/env bash
# Golden traces: does each analysis find what the case expects?
#
#	tests/cases/run.sh [FILE.case...]
#
# A case gives a trace and, a line for each analysis, the pairs of events (first-second) it must
# report, no more and no less:
#
#	about   what it shows
#	trace
#	  T1|w(x)|1
#	  T2|w(x)|2
#	expect hb  1-2
#
# `predictable' is what any correct reordering shows: the answer of `exact' and of `races'.  Where
# reads are free a name ending in -dep stands for the dependency-aware model, the plain one for
# --strict.  eraser's are variable@event.  Other names belong to analyses to come.
. "$(dirname "$0")/../lib.sh"
here=$SRC/tests/cases
analyses=hb,shb,wcp,syncp,osr,exact,eraser

[ $# -gt 0 ] || set -- "$here"/*/*.case

# ask MODEL OPTIONS...: findings of all analyses on t.std, in the form of compare.awk.
ask() {
	local model=$1
	shift
	for a in "$analyses --all-pairs" races; do
		foresee check -q -a $a "$@" -f json t.std >json 2>err
		[ $? -le 1 ] || return 1
		awk -f "$here/pairs.awk" json | sed "s/^/$model /"
	done
}

skipped=
for file; do
	[[ $file == /* ]] || file=$OLDPWD/$file
	name=$(basename "$file" .case)
	sed -n 's/^  //p' "$file" >t.std
	if ! { ask strict --strict && ask dep; } >found; then
		fail "$name: cannot be checked"
		note err
		continue
	fi
	while read -r verdict what; do
		case $verdict in
		same) pass "$name: $what" ;;
		differs) fail "$name: $what" ;;
		skipped) skipped="$skipped $what" ;;
		esac
	done < <(awk -f "$here/compare.awk" found "$file")
done
[ -z "$skipped" ] || echo "# no analysis yet for:" $(printf '%s\n' $skipped | sort | uniq -c |
	awk '{ print $2 " (" $1 ")" }')
done_testing
