#!/usr/bin/env bash
# --breadth and --count: what is looked at, what is said of the rest, and numbers of any size.
. "$(dirname "$0")/../lib.sh"
${CC:-cc} -O1 -o flatten "$SRC/tests/cli/flatten.c" || exit 2

# count NAME ENGINE: a member of the lattice in the report `out'.
count() {
	./flatten <out | sed -n "s/^\.lattice\.$2\.$1=//p"
}

cat >t.std <<'END'
#fmt 1
T1|r(radio:4)=1|1
T1|w(approved:4)=1|2
T1|r(approved:4)=1|3
T1|w(landing:4)=1|4
T2|w(radio:4)=0|5
END
cat >p.spec <<'END'
shared int landing = 0;
shared int approved = 0;
shared int radio = 1;
property land step write: ptltl start(landing == 1) -> [approved == 1, radio == 0);
property off step write: ptltl radio == 1;
END

# All runs, then the observed one alone.
run foresee check -a lattice-mvc -s p.spec --count -f json t.std
is "$status" 1 "all runs: status"
is "$(./flatten <out | sed -n 's/^\.findings\.[0-9]*\.property=//p' | sort | tr '\n' ' ')" '"land" "off" ' \
	"both properties are violated in some run"
is "$(count cuts lattice-mvc) $(count edges lattice-mvc) $(count levels lattice-mvc) $(count widest lattice-mvc)" \
	"6 7 4 2" "cuts, edges, levels, the widest of them"
is "$(count runs lattice-mvc) $(count violating_runs lattice-mvc)" "3 3" "runs, all of which violate one or the other"
is "$(count dead_ends lattice-mvc) $(count truncated lattice-mvc)" "0 false" "no dead ends, nothing left out"
is "$(./flatten <out | grep -c '^\.truncated')" 1 "truncated has no members"

run foresee check -a lattice-mvc -s p.spec --breadth 1 -f json t.std
is "$status" 1 "--breadth 1: status"
is "$(./flatten <out | sed -n 's/^\.findings\.[0-9]*\.property=//p' | tr '\n' ' ')" '"off" ' \
	"only what the observed run violates is found"
is "$(count cuts lattice-mvc) $(count levels lattice-mvc) $(count truncated lattice-mvc)" "4 4 true" \
	"one cut a level, and the rest is said to be left out"
has out '"truncated": \["[^"]*level' "in words too"
run foresee check -a lattice-mvc -s p.spec --breadth all -f json t.std
is "$(count cuts lattice-mvc) $(count truncated lattice-mvc)" "6 false" "--breadth all is the default"
run foresee check -a lattice-mvc -s p.spec --breadth 2 -f json t.std
is "$(count cuts lattice-mvc) $(count truncated lattice-mvc)" "6 false" "--breadth 2 is enough here"

# Nothing found, and not everything looked at.
grep -v '^property off' p.spec >land.spec
run foresee check -a lattice-mvc -s land.spec --breadth 1 t.std
is "$status" 3 "nothing found within the breadth: status 3"
has out 'level' "the text says from where on"
hasnt out 'no violation in any run' "and promises nothing"
run foresee check -a lattice-mvc -s land.spec --breadth 1 -f json t.std
is "$status" 3 "the same in JSON: status 3"
has out '"truncated": \["' "truncated has a line"
run foresee check -a lattice-mvc -s land.spec t.std
is "$status" 1 "without the bound it is found"

# One step beside the observed run is another run.
printf '#fmt 1\nT1|w(a:4)=1|1\nT2|w(b:4)=1|2\n' >beside.std
echo 'shared int a = 0; shared int b = 0; property p: ptltl b == 1 -> a == 1;' >beside.spec
run foresee check -q -a property -s beside.spec --breadth 1 beside.std
is "$status" 3 "not even its next step is looked at"
run foresee check -q -a property -s beside.spec beside.std
is "$status" 1 "else it is"

# Without a spec every event counts.
run foresee check -a lattice-mvc,lattice-weak --count -f json t.std
is "$status" 0 "counts alone: status 0"
is "$(count cuts lattice-mvc) $(count runs lattice-mvc)" "9 4" "all events, mvc"
is "$(count cuts lattice-weak) $(count runs lattice-weak)" "9 4" "all events, weak"
run foresee check -a lattice-mvc --count t.std
has out '9 cuts' "counts in text"
has out "4 runs" "runs too"

# 4 threads with 40 events of their own each: 41^4 cuts, 160! / (40!)^4 runs.
for t in 1 2 3 4; do for i in $(seq 40); do echo "T$t|w(x$t)|$t$i"; done; done >big.std
run foresee check -q -a lattice-mvc --count -f json big.std
is "$status" 0 "many runs: status"
is "$(count cuts lattice-mvc)" 2825761 "41^4 cuts"
is "$(count runs lattice-mvc)" \
	'"1063839148653048724407104455611110559073608468237017153979267900399108357765975383695811016000"' \
	"160! / (40!)^4 runs, as a string"
is "$(count violating_runs lattice-mvc)" 0 "none violates anything"
run foresee check -q -a lattice-mvc -f json t.std
is "$(count cuts lattice-mvc) $(count runs lattice-mvc)" "9 4" "without a spec runs are counted anyway"
run foresee check -q -a lattice-mvc -s p.spec -f json t.std
is "$(count cuts lattice-mvc) $(count runs lattice-mvc)" "6 " "with one only if --count asks for it"
# Counts above 2^53 are strings: 56! / (28! 28!) is below, 57! / (28! 29!) above, and both fit in 64 bits.
for n in 28 29; do
	{ for i in $(seq 28); do echo "T1|w(a)|$i"; done; for i in $(seq $n); do echo "T2|w(b)|$i"; done; } >two.std
	run foresee check -q -a lattice-mvc --count -f json two.std
	is "$(count runs lattice-mvc)" "$([ $n = 28 ] && echo 7648690600760440 || echo '"15033633249770520"')" "28 and $n events: runs"
done

# A level that takes several workers more than one turn.
for t in 1 2 3 4 5; do for i in $(seq 20); do echo "T$t|w(x$t)|$t$i"; done; done >wide.std
for jobs in 1 2; do
	run foresee check -q -a lattice-mvc --jobs $jobs -f json wide.std
	is "$(count cuts lattice-mvc) $(count edges lattice-mvc)" "4084101 19448100" "--jobs $jobs: 21^5 cuts"
done

# A long run: more configurations than are kept, more events than are read at a time.  T2 could have
# been as late as you like.
awk 'BEGIN { print "#fmt 1\nT2|w(y:4)=1|2"; for (i = 1; i <= 120000; i++) print "T1|w(x:4)=" i "|1" }' >long.std
printf 'shared int x = 0; shared int y = 0;\nproperty early: ptltl start(y == 1) -> x < 119000;\n' >long.spec
run foresee check -q -a lattice-mvc -s long.spec --count -f json long.std
is "$(count runs lattice-mvc) $(count violating_runs lattice-mvc)" "120001 1001" "a long run: the others are counted well"
echo 'property last: ptltl x < 120000;' >>long.spec
run foresee check -q -a lattice-mvc -s long.spec -f json long.std
is "$(./flatten <out | grep -c '^\.findings\.[0-9]*\.certified=true')" 2 "what it violates late, and what another does"

# What could have come first is at its end.
awk 'BEGIN { print "#fmt 1\nT1|fork(T2)|1"; for (i = 1; i <= 70000; i++) print "T1|w(x:4)=" i "|1"; print "T2|w(y:4)=1|2" }' >long.std
printf 'shared int x = 0; shared int y = 0;\nproperty late: ptltl start(y == 1) -> x > 10;\n' >late.spec
for a in lattice-mvc property; do
	run foresee check -q -a $a -s late.spec -f json long.std
	is "$(./flatten <out | sed -n 's/^\.findings\.0\.certified=//p')" true "$a: found there, and certified"
done

# Nobody forked T2, so levels were built without it.
sed -i '/fork/d' long.std
run foresee check -q -a lattice-mvc -s late.spec -f json long.std
is "$(count truncated lattice-mvc)" true "a thread out of the blue comes too late for some runs, which is said"

# Of runs by algorithm A the proof is by the same rule.
cat >locks.std <<'END'
#fmt 1
T1|acq(l)|1
T1|w(x:4)=1|2
T1|rel(l)|3
T1|r(z:4)=0|4
T2|acq(k)|5
T2|rel(k)|6
T2|w(y:4)=1|7
END
printf 'shared int x = 0; shared int y = 0; shared int z = 0;\nproperty p: ptltl y == 1 -> x == 1;\n' >locks.spec
run foresee check -q -a lattice-mvc -s locks.spec -f json locks.std
is "$(./flatten <out | sed -n 's/^\.findings\.0\.certified=//p')" true "lattice-mvc: certified, with locks"
done_testing
