#!/usr/bin/env bash
# Memory and synchronisation objects that come to their end: a free, destroy or init that nothing
# orders with a use is a race; what POSIX allows is none.
. "$(dirname "$0")/../lib.sh"

${CC:-cc} -O1 -c -o order.o "$SRC/tests/programs/order.c" || exit 2
foresee-cc -g -O1 -I"$SRC/tests/programs" "$SRC/tests/programs/lifetime.c" order.o -o prog -lpthread || exit 2

# racy WHAT END USE: one race, predicted, of those two.
racy() {
	run foresee record -q -o t.foresee ./prog "$1"
	is "$status" 0 "$1: the program ends well"
	run foresee check -q -a races -f json t.foresee
	is "$status" 1 "$1: something is found"
	has out "\"op\": \"$2\"" "$1: the $2"
	has out "\"op\": \"$3\"" "$1: the $3"
	has out '"status": "predicted", "certified": true' "$1: certified"
}

# clean WHAT
clean() {
	local i

	for i in 1 2 3; do
		run foresee record -q -o t.foresee ./prog "$1"
		[ "$status" = 0 ] || break
		run foresee check -a races t.foresee
		[ "$status" = 0 ] || break
	done
	is "$status" 0 "$1: nothing is found"
	[ "$status" = 0 ] || note out
}

for object in mutex rwlock cond sem; do
	case $object in
	mutex) use=lock ;;
	rwlock) use=rdlock ;;
	cond) use=signal ;;
	sem) use=sempost ;;
	esac
	racy free-$object free "$use"
	case $object in
	cond | sem) end=${object}destroy ;;
	*) end=lockdestroy ;;
	esac
	racy destroy-$object $end "$use"
done
racy free-wait free condreq
racy destroy-wait conddestroy condreq
racy init-mutex lockinit lock
racy init-sem seminit sempost

run foresee record -q -o t.foresee ./prog destroy-mutex
run foresee check -a races t.foresee
has out 'T1 may destroy it while T2 may still lock it' "a destroy is told in words"

for what in scope exit; do
	racy $what free lock
	run foresee check -a races t.foresee
	has out 'if its scope ends first, the other uses what is gone' "$what: told in words"
done

clean alone
clean join
clean last
clean broadcast
clean serial
clean wait
done_testing
