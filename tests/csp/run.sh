#!/usr/bin/env bash
# Exported networks of processes mean what they should: cspm.py evaluates their assertions.
#
# On the cases of this directory, each line of which is one of
#
#	expect x T1 T2: race after <lock.T2.m>, 48 states	the network of this variable and two threads: the
#	expect x T1 T2: holds, 48 states			shortest way, and how many states there are
#	expect x T1 T2 strict 1-8 2-8				with data: the pairs that race; or none
#	expect x T1 T2 witness 5 6 7 then 1 8, relaxed 8	an order that the checker accepts
#	expect no check
#
# Names that the text has other words for are as there (l_1).  -a csp finds what fails, and no more; what
# the network with data reaches is what `exact --strict' predicts.  The same on random traces; LONG=1: more.
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip_all "no python3"
command -v gcc >/dev/null || skip_all "no gcc"
here=$SRC/tests/csp

evaluate() {
	python3 "$here/cspm.py" "$@"
}

# ask ANALYSIS OPTIONS...: its findings in t.std, in the form of pairs.awk.
ask() {
	foresee check -q -v --all-pairs -f json -a "$@" t.std >json 2>err
	case $? in
	0 | 1 | 3) awk -f "$SRC/tests/cases/pairs.awk" json ;;
	*) return 1 ;;
	esac
}

# The pairs that exact finds, of accesses: the making and the end of objects are not in the text.
exact_pairs() {
	ask exact --strict | awk 'FILENAME == "t.std" { if (!/^#/) access[++n] = /\|(r|w|rmw|free)\(/; next }
		{ split($2, e, "-"); if (access[e[1]] && access[e[2]]) print $2 }' t.std - | sort
}

# Findings as "T1 T2", in the order of names.
threads_of() {
	awk -F'|' 'FILENAME == "t.std" { if (!/^#/) thread[++n] = $1; next }
		{ split($0, word, " "); split(word[2], e, "-"); a = thread[e[1]]; b = thread[e[2]]
		print a < b ? a " " b : b " " a }' t.std - | sort
}

# What the cases expect of the network without data: each check by itself.
check_network() {
	local x t u rest n=0
	: >wanted
	: >swap
	while read -r _ x t u rest; do
		u=${u%:} n=$((n + 1))
		foresee export -q --to csp --variable "$x" --threads "$t,$u" t.std >$n.csp 2>>err
		echo "$x $t $u: $rest" >>wanted
		echo "s/^$x $u $t:/$x $t $u:/" >>swap
		case $rest in race*) echo "$t $u" ;; esac
	done < <(grep -E "^expect [^ ]+ [^ ]+ [^ ]+:" "$file") >violated
	evaluate $(seq -f %g.csp $n) 2>>err | sed -f swap >found
	same wanted found "$name: the text"
	sort violated >wanted
	ask csp | threads_of >found
	same wanted found "$name: -a csp"
}

# The pairs of a file of lines "T1 T2: 1-8 2-8".
pairs_of() {
	sed -n 's/^[^:]*: //p' | tr ' ' '\n' | grep -E '^[0-9]+-[0-9]+$' | sort -u
}

check_strict() {
	sed -n 's/^expect [^:]* strict / : /p' "$file" | pairs_of >wanted
	foresee export -q --to csp --strict t.std >o.csp 2>err && evaluate o.csp | pairs_of >found
	same wanted found "$name: the text with data"
	exact_pairs >found
	same wanted found "$name: -a exact"
}

check_witnesses() {
	local what order targets relaxed
	while read -r what; do
		order=${what%%then*} targets=${what#*then }
		relaxed=none
		case $targets in *relaxed*) relaxed=${targets#*relaxed } ;; esac
		printf 'witness 1\nkind race\ntarget %s\nrelaxed %s\nmodel strict\norder\n%s\n' \
			"${targets%%,*}" "$relaxed" "$order" >w.witness
		ok "$name: $what" foresee verify t.std w.witness
	done < <(sed -n 's/^expect .* witness //p' "$file")
}

for file in "$here"/*.case; do
	name=$(basename "$file" .case)
	sed -n 's/^  //p' "$file" >t.std
	if grep -q '^expect no check' "$file"; then
		foresee export -q --to csp t.std >o.csp
		has o.csp ', 0 checks' "$name: there is nothing to check"
		continue
	fi
	: >err
	check_network
	check_strict
	check_witnesses
done

# Random traces: all checks in one file, and -a csp; pairs with data, and exact.
gcc -O1 -I"$SRC/tests/unit" -o random "$SRC"/tests/spin/random.c \
	"$SRC"/tests/unit/tiny{,_random}.c || fail "random traces"
traces=24
[ -z "${LONG-}" ] || traces=1000
checks=0 failing=0 pairs=0 wide=0
for seed in $(seq $traces); do
	kind=
	[ $((seed % 3)) = 0 ] || kind=$([ $((seed % 3)) = 1 ] && echo locks || echo counts)
	./random "$seed" $kind >t.std
	: >err
	if ! foresee export -q --to csp t.std >o.csp 2>err || ! evaluate o.csp >lines 2>>err; then
		fail "random trace $seed $kind: the text"
		note err
		continue
	fi
	awk '/race after/ { a = $2; b = $3; sub(/:/, "", b); print a < b ? a " " b : b " " a }' lines |
		sort >wanted
	ask csp | threads_of >found
	checks=$((checks + $(wc -l <lines))) failing=$((failing + $(wc -l <wanted)))
	cmp -s wanted found || same wanted found "random trace $seed $kind: -a csp"
	if ! foresee export -q --to csp --strict t.std >o.csp 2>err; then
		grep -q 'several variables at once' err || fail "random trace $seed $kind: $(cat err)"
		wide=$((wide + 1))
		continue
	fi
	evaluate o.csp | pairs_of >wanted
	exact_pairs >found
	pairs=$((pairs + $(wc -l <found)))
	cmp -s wanted found || same wanted found "random trace $seed $kind: -a exact --strict"
done
if [ $failing -gt 0 ] && [ $pairs -gt 0 ] && [ $wide -lt $((traces / 2)) ]; then
	pass "$traces random traces: $checks checks, $failing fail; $pairs pairs race; $wide without data only"
else
	fail "random traces have too little in them: $failing of $checks checks, $pairs pairs, $wide too wide"
fi
done_testing
