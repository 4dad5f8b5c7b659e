#!/usr/bin/env bash
# Twenty small scenarios, 14 with a race and 6 without (tests/programs/scenarios): what is
# predicted from one recording each, made by the compiler pass and by Valgrind, beside Helgrind and DRD.
#
#	bench-scenarios.sh [--alone] [NAME...]	default: all; alone: without Helgrind and DRD
#
# A column says the variables of the races, - for none.  `valgrind' and `csp' are told that no plain move is
# an atomic (--plain-moves), `bare' is not: what the binary shows to be none.
set -u
here=$(cd "$(dirname "$0")/../programs/scenarios" && pwd)
PATH=$FORESEE_ROOT/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

alone=
[ "${1-}" = --alone ] && alone=1 && shift
[ $# -gt 0 ] || set -- $(cd "$here" && ls s*.c)

# objects TRACE ANALYSIS OPTIONS: the variables of what is predicted, races only
objects() {
	foresee check -q -a "$2" -f json "${@:3}" "$1" 2>/dev/null | tr '{' '\n' | sed -n '/"kind": *"race"/{
		/"status": *"predicted"/s/.*"object": *"\([^"]*\)".*/\1/p;}' | sort -u | paste -sd, | sed 's/^$/-/'
}

# Errors that one of Valgrind's tools reports.
reports() {
	[ -z "$alone" ] || { echo - && return; }
	valgrind -q --tool="$1" --error-exitcode=99 ./plain >/dev/null 2>&1
	[ $? = 99 ] && echo yes || echo -
}

format='%-44s %-6s %-6s %-9s %-6s %-6s %-9s %s\n'
printf "$format" scenario races pass valgrind bare csp Helgrind DRD
declare -A found=()
for p in "$@"; do
	p=${p%.c}
	want=$(sed -n 's|^// races: ||p' "$here/$p.c")
	[ "$want" = none ] && want=-
	foresee-cc -O1 -g -o pass "$here/$p.c" -lpthread && gcc -O1 -g -o plain "$here/$p.c" -lpthread || exit 1
	foresee record -q -o pass.foresee ./pass || exit 1
	foresee record -q --valgrind -o plain.foresee ./plain || exit 1
	row=("$(objects pass.foresee default)" "$(objects plain.foresee default --plain-moves)"
		"$(objects plain.foresee default)" "$(objects plain.foresee csp --plain-moves)"
		"$(reports helgrind)" "$(reports drd)")
	printf "$format" "$p" "$want" "${row[@]}"
	[ "$want" = - ] && kind=clean || kind=racy
	found[$kind]=$((${found[$kind]:-0} + 1))
	for i in 0 1 2; do
		[ "${row[$i]}" = "$want" ] && found[$kind$i]=$((${found[$kind$i]:-0} + 1))
	done
	for i in 4 5; do
		[ "${row[$i]}" = - ] || found[$kind$i]=$((${found[$kind$i]:-0} + 1))
	done
done
echo
echo "with a race: ${found[racy]:-0}; predicted by the pass's recording ${found[racy0]:-0}, by Valgrind's ${found[racy1]:-0}" \
	"(bare ${found[racy2]:-0}); Helgrind reports ${found[racy4]:-0}, DRD ${found[racy5]:-0}"
echo "without: ${found[clean]:-0}; nothing predicted by the pass's recording ${found[clean0]:-0}, by Valgrind's ${found[clean1]:-0}" \
	"(bare ${found[clean2]:-0}); Helgrind reports ${found[clean4]:-0}, DRD ${found[clean5]:-0}"
