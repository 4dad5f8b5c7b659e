#!/usr/bin/env bash
# Lattices as pictures: nodes, edges, the recorded run, what is violated, dead ends, limits.
. "$(dirname "$0")/../lib.sh"

nodes() { grep -c '^	n[0-9]* \[' out; }
edges() { grep -c -- ' -> ' out; }

cat >xyz.std <<'END'
#fmt 1
T1|w(x)=-1|a.c:1
T1|r(x)=-1|a.c:2
T1|w(z)=2|a.c:3
T2|w(x)=1|b.c:4
T2|r(x)=1|b.c:5
T2|r(z)=2|b.c:6
T2|w(y)=3|b.c:7
END
printf 'shared int x = 0; shared int y = 0; shared int z = 0;\nproperty p: ptltl x > 0 -> once x < 0;\n' >xyz.spec

run foresee export --to dot xyz.std
is "$status" 0 "every event"
is "$(nodes)" 13 "13 cuts"
is "$(edges)" 15 "15 edges"
run foresee export --to dot -s xyz.spec xyz.std
is "$(nodes) $(edges)" "13 15" "by a spec about the same"
is "$(grep -c '^	n[0-9]* \[.*penwidth=3' out)" 8 "the recorded run passes eight nodes"
is "$(grep -c -- '->.*style=bold' out)" 7 "on seven edges"
has out 'n0 \[label="0 0\\nx=0 y=0 z=0", penwidth=3\];' "the first node"
has out '"1 T1 write x\\na.c:1", style=bold' "an edge with thread and place"
has out '^	n[0-9]* \[label="0 1\\nx=1 y=0 z=0", color=red, fontcolor=red\];' "the violating state"
is "$(grep -c -- '->.*color=red' out)" 7 "the violating run has seven edges"
run foresee export --to dot -a lattice-mvc xyz.std
is "$(nodes)" 10 "10 cuts under algorithm A"
run foresee export --to dot --lattice mvc xyz.std
is "$(nodes)" 10 "by the other name"

cat >cross.std <<'END'
A|acq(l)|1
A|acq(m)|2
A|rel(m)|3
A|rel(l)|4
B|acq(m)|5
B|acq(l)|6
B|rel(l)|7
B|rel(m)|8
END
run foresee export --to dot cross.std
is "$(grep -c 'dead end' out)" 1 "a dead end: the deadlock"

awk 'BEGIN { for (i = 1; i <= 100; i++) { print "A|w(a" i ")|1"; print "B|w(b" i ")|2" } }' >wide.std
run foresee export --to dot wide.std
is "$status" 0 "a lattice that is too wide is cut"
has err 'not all of the lattice is drawn' "and that is said"
awk 'BEGIN { for (i = 1; i <= 5000; i++) print "A|w(a)|1" }' >long.std
run foresee export --to dot long.std
is "$status" 2 "too long"
has err '^foresee: too long to draw: more than 4000 events' "is refused"
run foresee export --to dot -a races xyz.std
is "$status" 2 "no lattice of that name"
run foresee export --to dot -s gone.spec xyz.std
is "$status" 2 "no such spec"
if command -v dot >/dev/null; then
	foresee export --to dot -s xyz.spec xyz.std | dot -Tsvg >svg 2>err
	is "$?" 0 "Graphviz takes it"
fi
# A node that some runs reach with a violation and others without; and a state without a value.
cat >two.std <<'END'
#fmt 1
T1|w(x)=1|1
T2|w(y)=1|2
T2|w(y)=2|3
END
printf 'shared int x = 0; shared int y = 1;\nproperty p: ptltl start(x == 1) -> y < 2;\n' >p.spec
run foresee export --to dot -s p.spec two.std
has out 'label="1 2.*color=red, fontcolor=red, style="rounded,dashed"' "violated on some ways only"
is "$(grep -c -- '->.*color=red' out)" 3 "the way there is red from its start"
printf 'shared int x = 0; shared int y = 0;\nproperty p: ptltl 6 / (y - 2) < 9;\n' >p.spec
run foresee export --to dot -s p.spec two.std
has out 'label="0 2.*color=red' "no value is marked as well"
done_testing
