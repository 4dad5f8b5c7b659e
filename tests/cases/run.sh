#!/usr/bin/env bash
# Golden traces: does each analysis find what the case expects?
#
#	tests/cases/run.sh [FILE.case...]
#
# A case gives a trace and, a line for each analysis, the events (first-second, first-second-third
# ...) it must report, no more and no less:
#
#	about   what it shows
#	trace
#	  T1|w(x)|1
#	  T2|w(x)|2
#	expect hb  1-2
#
# `predictable' is what any correct reordering shows: the answer of `exact' and of `races'.  Where
# reads are free a name ending in -dep stands for the dependency-aware model, the plain one for
# --strict.  csp's are those that were not refuted.  eraser's are variable@event, goodlock's lock/lock, n/a where a thread has no lock tree.
# `patterns' are those of locks alone (the analysis patterns-all), `patterns-parents' what the
# analysis patterns leaves of them.  `deadlock' and `join-holding-lock' are the findings of that
# kind by `deadlocks', with a question mark behind those that are warnings.  `waits' are its others,
# KIND@events, KIND?events when it is a warning, and those of the analysis waits.  `mvc-lattice' and
# `weak-lattice' are counts of cuts, runs and dead ends, where every event is relevant.  `aerodrome' is
# the event at which it tells of the first block.  `mixed' says whether `atomicity' finds a pattern of
# two variables; its others are the triples.  `cycles' are those patterns, `TYPE(out,back)BEGIN:OTHER': the variables
# of the way out of the block and of the way back, the event that begins it, who comes between; an X, which is of two
# blocks, by the one that begins first.
# `triples-gap' and `cycles-gap' are what the analysis gap finds, `triples-sp' and `triples-osr' the triples
# of atomicity-sp and atomicity-osr.  `blocks', `csv' and its kin and `triples-observed' are of the definitions
# alone: tests/unit/test_atomicity_cases.c, which holds `triples' and `cycles' to them, too.  `inferred' is what it finds with --infer,
# `guesses' the blocks of these that nothing marks: KIND:FIRST-LAST=SCORE@EVENTS.  Other names belong to analyses to come.
. "$(dirname "$0")/../lib.sh"
here=$SRC/tests/cases
analyses=hb,shb,wcp,csp,syncp,osr,exact,eraser
analyses=$analyses,goodlock,patterns-all,patterns-mhb,patterns,spd,waits,deadlocks
analyses=$analyses,aerodrome,aerodrome-data,triples,atomicity-sp,atomicity-osr,atomicity,gap,lattice-mvc,lattice-weak

[ $# -gt 0 ] || set -- "$here"/*/*.case

# ask MODEL OPTIONS...: findings of all analyses on t.std, in the form of compare.awk.
ask() {
	local model=$1
	shift
	ask_once "$analyses" --count --all-pairs "$@" || return 1
	sed "s/^/$model /" lines
	# Blocks that are guessed, and functions that are declared: marked with a ! in these cases.
	ask_once atomicity --all-pairs --infer --atomic 'transfer!' "$@" || return 1
	sed "s/^atomicity/inferred/; s/^/$model /" lines
	# One finding for each circle of places: the same, for each event has its own.
	ask_once races,deadlocks "$@" || return 1
	sed "s/^deadlocks /deadlocks-once /; s/^/$model /" lines
}

# ask_once ANALYSES OPTIONS...: findings in the file lines.
ask_once() {
	foresee check -q -a "$@" -f json t.std >json 2>err
	case $? in
	0 | 1 | 3) awk -f "$here/pairs.awk" json >lines ;;
	*) return 1 ;;
	esac
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
