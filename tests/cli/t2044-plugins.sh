#!/usr/bin/env bash
# Libraries that come and go: one that is loaded where another lay has its own names, places and
# variables, and its own races.  The loader takes the same addresses again; if it did not, all this
# would hold just as well.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"

from=$SRC/tests/programs/plugins
export FORESEE_LLVM=${LLVMS##*[[:space:]]}
foresee-cc -O1 -g "$from/host.c" -o host -pthread -ldl || exit 2
limit=3
for name in one two; do
	cp "$from/plugin.c" $name.c || exit 2
	foresee-cc -O1 -g -DNAME=$name -DLIMIT=$((limit++)) -shared -fPIC $name.c -o ./$name.so || exit 2
done

run timeout 60 foresee record -o both.foresee ./host ./one.so ./two.so
is "$status" 0 "two libraries: ends as ever"
ok "two libraries: is consistent" foresee verify both.foresee
has out ' 0 unknown' "two libraries: every value is accounted for"
run foresee check both.foresee
is "$status" 1 "two libraries: there are races"
for name in one two; do
	has out "data race on ${name}_counted \(4 bytes, global\) +predicted, certified" \
		"the race on ${name}_counted is found"
	has out "write +$name.c:18 in plugin_run" "its places are those of $name.c"
	hasnt out "data race on ${name}_l" "what the lock guards does not race"
done
has out 'data race on shared' "and so is that on what both use"
run foresee print both.foresee
for name in one two; do
	grep "$name\.c:" out >of || :
	has of "lock +${name}_lock" "$name.c locks its own lock"
	has of "read +${name}_limit += [0-9]" "$name.c reads its own limit"
	other=$(echo onetwo | sed s/$name//)
	hasnt of "${other}_" "and nothing of the other"
done

run timeout 60 foresee record -o again.foresee ./host ./one.so ./one.so ./two.so ./one.so
is "$status" 0 "loaded again: ends as ever"
ok "loaded again: is consistent" foresee verify again.foresee
has out ' 0 unknown' "loaded again: every value is accounted for"
run foresee print again.foresee
is "$(grep -c 'write  *one_limit  *= 5 ' out)" 3 "loaded again: each load begins with its own bytes"
run foresee check again.foresee
has out 'data race on one_counted' "loaded again: the race of the one"
has out 'data race on two_counted' "loaded again: and of the other"

# Only the limit of the one is ever 5.
echo 'shared int two_limit; property never_five: ptltl two_limit != 5;' >two.spec
run foresee check -a property -s two.spec both.foresee
is "$((status == 1))" 0 "a property of the other is not judged by what the first did"
[ "$status" = 0 ] || has err "'two_limit' cannot be followed: .*'one_limit', then of 'two_limit'" \
	"and if it cannot be judged, that is said"
echo 'shared int one_limit; property never_seven: ptltl one_limit != 7;' >one.spec
run timeout 60 foresee record -o ones.foresee ./host ./one.so ./one.so
run foresee check -a property -s one.spec ones.foresee
is "$status" 0 "a library that comes again has the variables that it had"

run timeout 60 foresee record -o over.foresee ./host ./one.so over
is "$status" 0 "memory in the place of a library: ends as ever"
run foresee check over.foresee
has out 'data race on one_counted' "memory in the place of a library: the library's race"
has out 'data race on map#[0-9]+' "memory in the place of a library: has no name of its"
is "$(grep -c 'data race on one_' out)" 1 "memory in the place of a library: and only that one is its"

# The lock recorder does not say when a library has gone: what lay at an address has both names.
${CC:-cc} -O1 -g "$from/host.c" -o plain -pthread -ldl || exit 2
limit=3
for name in one two; do
	${CC:-cc} -O1 -g -DNAME=$name -DLIMIT=$((limit++)) -shared -fPIC $name.c -o ./plain_$name.so || exit 2
done
run timeout 60 foresee record --locks-only -o plain.foresee ./plain ./plain_one.so ./plain_one.so ./plain_two.so
is "$status" 0 "--locks-only: ends as ever"
run foresee print plain.foresee
# Each in its own place, if the loader did not take the same one again.
if grep -q ' or ' out; then
	has out 'lock +one_lock or two_lock .*in plugin_run' "--locks-only: a lock of either library"
	hasnt out 'lock +(one|two)_lock  ' "--locks-only: is not told as one of them"
else
	has out 'lock +one_lock .*one\.c:[0-9]+ in plugin_run' "--locks-only: the lock of the one"
	has out 'lock +two_lock .*two\.c:[0-9]+ in plugin_run' "--locks-only: the lock of the other"
fi
done_testing
