#!/usr/bin/env bash
# SPIN searches the exported model of a lattice through: its states are the cuts that foresee
# counts, its transitions the edges, and the assertion of a property fails in it exactly where
# foresee says that some run violates the property.
#
# LONG=1: every golden case, and more random traces.
. "$(dirname "$0")/../lib.sh"

command -v spin >/dev/null || skip_all "no spin"
command -v gcc >/dev/null || skip_all "no gcc"
gcc -O1 -o flatten "$SRC/tests/cli/flatten.c" || exit 2

# searched OPTIONS...: pan.out has SPIN's whole search of m.pml, or up to the first error.
searched() {
	spin "$@" -a m.pml >spin.out 2>&1 && gcc -O0 -w -DSAFETY -DNOREDUCE -o pan pan.c &&
		./pan -E -w18 -m100000 >pan.out && grep -Eq 'errors: [01]$' pan.out &&
		! grep -q 'max search depth too small' pan.out
}

# from_spin KIND OPTIONS...: cuts and edges of t.std by SPIN.
from_spin() {
	local kind=$1

	shift
	foresee export -q --to promela --lattice "$kind" "$@" t.std >m.pml && searched || return 1
	# The search enters the first state by a transition of its own.
	awk '/states, stored/ { cuts = $1 } /transitions \(=/ { edges = $1 - 1 }
		/errors: [^0]/ { bad = 1 } END { print cuts, edges; exit bad }' pan.out
}

# from_foresee KIND OPTIONS...
from_foresee() {
	local kind=$1

	shift
	foresee check -q -a "lattice-$kind" "$@" -f json t.std >json
	[ $? -le 1 ] && ./flatten <json >flat && grep -q '\.truncated=false' flat &&
		awk -F= -v kind="lattice-$kind" '$1 == ".lattice." kind ".cuts" { cuts = $2 }
			$1 == ".lattice." kind ".edges" { edges = $2 } END { print cuts, edges }' flat
}

# compare NAME KIND OPTIONS...
compare() {
	local name=$1 kind=$2

	shift 2
	if from_spin "$kind" "$@" >spin.counts 2>err && from_foresee "$kind" "$@" >counts 2>>err; then
		same counts spin.counts "$name, $kind: $(sed 's/ / cuts, /' counts) edges"
	else
		fail "$name, $kind: no answer"
		note err
		note spin.out
		note pan.out
	fi
}

try() {
	compare "$1" mvc
	compare "$1" weak
}

n=0
for file in "$SRC"/tests/cases/{races,deadlocks}/*.case; do
	n=$((n + 1))
	[ -n "${LONG-}" ] || [ $((n % 6)) = 0 ] || continue
	sed -n 's/^  //p' "$file" >t.std
	try "$(basename "$file" .case)"
done

gcc -O1 -I"$SRC/tests/unit" -o random "$SRC"/tests/spin/random.c \
	"$SRC"/tests/unit/tiny{,_random}.c || fail "random traces"
traces=6
[ -z "${LONG-}" ] || traces=200
for seed in $(seq $traces); do
	./random $seed >t.std
	try "random trace $seed"
	./random $seed locks >t.std
	try "random locks $seed"
done

# Properties: SPIN's assertion against foresee's findings.
# judged NAME KIND: of p.spec on t.std, every property.
judged() {
	local name=$1 kind=$2 p found

	foresee check -q -a "lattice-$kind" -s p.spec -f json t.std >json 2>err
	[ $? -le 1 ] && ./flatten <json >flat || {
		fail "$name, $kind: no answer"
		note err
		return
	}
	foresee export -q --to promela --lattice "$kind" -s p.spec t.std >m.pml
	for p in $(sed -n 's/^property \([a-z_0-9]*\).*/\1/p' p.spec); do
		found=$(grep -c "^\.findings\.[0-9]*\.property=\"$p\"" flat)
		if searched "-DPROPERTY_$p" 2>err; then
			has pan.out "errors: $((found > 0))" "$name, $kind: $p is $([ $found = 0 ] && echo kept || echo violated)"
		else
			fail "$name, $kind: $p: no answer"
			note err
			note spin.out
			note pan.out
		fi
	done
}

cat >t.std <<'END'
#fmt 1
T2|r(radio:4)=1|1
T1|r(radio:4)=1|2
T1|w(approved:4)=1|3
T1|r(approved:4)=1|4
T1|w(landing:4)=1|5
T2|w(radio:4)=0|6
T2|r(radio:4)=0|7
END
cat >p.spec <<'END'
shared int landing = 0;
shared int approved = 0;
shared int radio = 1;
event off = write(radio) when radio == 0;
property land step write: ptltl start(landing == 1) -> [approved == 1, radio == 0);
property plain step write: ptltl landing == 1 -> radio == 1;
property ordered step write: ptltl start(landing == 1) -> once(approved == 1);
property since_off: ptltl once off() -> (radio == 0) since off();
property weakly step write: ptltl (radio == 1) wsince (landing == 1);
END
judged landing mvc
judged landing weak
compare "landing with its spec" mvc -s p.spec
compare "landing with its spec" weak -s p.spec

cat >t.std <<'END'
#fmt 1
T1|w(x:4)=4294967295|1
T1|r(x:4)=4294967295|2
T1|w(z:4)=2|3
T2|w(x:4)=1|4
T2|r(x:4)=1|5
T2|r(z:4)=2|6
T2|w(y:4)=3|7
END
cat >p.spec <<'END'
shared int x = 0;
shared int y = 0;
shared int z = 0;
property negative_first step write: ptltl start(x > 0) -> once start(x < 0);
property small step write: ptltl hist(x + y + z < 6) && !(end(x > 0) && prev(y == 3));
END
judged xyz mvc
judged xyz weak

# Random ones: a run of three threads over two variables and a lock, and formulas of every operator,
# made so that some runs violate them and others do not.
cat >generate.awk <<'END'
function pick(n) { return int(rand() * n) }
function formula(depth,	k) {
	if (depth == 0) {
		k = pick(5)
		return k == 0 ? "w()" : k == 1 ? "tid == " 1 + pick(3) : \
			(pick(2) ? "x" : "y") " " (k == 2 ? "==" : k == 3 ? "<" : ">=") " " pick(3)
	}
	k = pick(14)
	if (k < 6)
		return substr("!    prev once hist startend  ", 5 * k + 1, 5) "(" formula(depth - 1) ")"
	if (k < 12)
		return "(" formula(depth - 1) ")" substr(" &&     ||     ->     <->    since  wsince ", 7 * (k - 6) + 1, 7) \
			"(" formula(depth - 1) ")"
	return "[" formula(depth - 1) ", " formula(depth - 1) (k == 12 ? ")" : ")w")
}
BEGIN {
	srand(seed)
	print "#fmt 1" >"t.std"
	for (i = 1; i <= 9; i++) {
		t = 1 + pick(3)
		v = pick(2) ? "x" : "y"
		k = pick(6)
		if (held[t] && k == 5)
			held[t] = owner = 0
		else if (!owner && k == 5)
			held[t] = owner = t
		else if (k == 5)
			k = 4
		if (k < 3)
			value[v] = pick(3)
		print "T" t "|" (k < 3 ? "w(" v ":4)=" value[v] : k < 5 ? "r(" v ":4)=" value[v] + 0 : \
			(held[t] ? "acq" : "rel") "(m)") "|" i >"t.std"
	}
	print "shared int x = 0;\nshared int y = 0;\nevent w = write(x) when x > 0;" >"p.spec"
	split(" step write: step event:", step, ":")
	for (i = 0; i < 3; i++)
		print "property p" i (i ? step[i] : "") ": ptltl !(" formula(1 + pick(2)) " && " formula(1) " && " formula(1) ");" >"p.spec"
}
END
computations=3
[ -z "${LONG-}" ] || computations=100
for seed in $(seq $computations); do
	awk -v seed=$seed -f generate.awk
	judged "random formulas $seed" $([ $((seed % 2)) = 0 ] && echo mvc || echo weak)
done
done_testing
