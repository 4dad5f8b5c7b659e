#!/usr/bin/env bash
# Unseen code that writes what recorded code reads: no race is predicted through such a read, be it
# of memory that no recorded code has written, of a neighbour in the same word, or one of many; and the
# races that are there are.  Nor is one predicted that needs unseen code to return what it returned
# when it read something else.  The checker refuses such a witness by itself.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"
here=$SRC/tests/programs/unseen

${CC:-cc} -O1 -shared -fPIC "$here/unseen_set.c" -o libset.so || exit 2
${CC:-cc} -O1 -c "$here/unseen_set.c" -o set.o || exit 2
${CC:-cc} -O1 -c "$here/../order.c" -o order.o || exit 2
ok "builds, with a plain library" foresee-cc -g -O1 -I"$here/.." "$here/unseen_writes.c" order.o -L. -lset \
	-Wl,-rpath,"$PWD" -o library -pthread
ok "builds, with a plain object beside it" foresee-cc -g -O0 -I"$here/.." "$here/unseen_writes.c" order.o \
	set.o -o object -pthread

predicted() {
	foresee check -q -f json "$1" 2>err | grep -o '"status": *"predicted"' | wc -l
}

# try PROGRAM KIND [OPTION...]
try() {
	local prog=$1 kind=$2
	shift 2
	timeout 60 foresee record -q "$@" -o t.foresee "./$prog" "$kind" >out 2>err
	is "$?" "0" "$prog $kind $*: recorded"
	is "$(predicted t.foresee)" 0 "... nothing is predicted"
	timeout 60 foresee record -q "$@" -o t.foresee "./$prog" "$kind" race >out 2>err
	is "$(predicted t.foresee)" 1 "... and what can happen is"
}

for kind in global started written neighbour thread big calloc malloc library mmap stack kept polled; do
	try library "$kind"
done
for kind in global malloc stack neighbour polled; do
	try object "$kind"
done
for kind in global malloc neighbour polled; do
	try library "$kind" --full
done

# What changes without a record, and no code is unseen.
ok "builds, two addresses and a count" foresee-cc -g -O1 "$here/unsteady.c" -o unsteady -pthread
for kind in flag back moved bare lock count; do
	timeout 60 foresee record -q -o t.foresee ./unsteady "$kind" >out 2>err
	is "$? $(predicted t.foresee)" "0 0" "$kind: nothing is predicted"
	foresee check -q t.foresee >out 2>err
	has out 'only a warning: a read in it saw what code' "... but a warning is"
	timeout 60 foresee record -q -o t.foresee ./unsteady "$kind" race >out 2>err
	[ "$(predicted t.foresee)" -gt 0 ]
	is "$?" 0 "... and what can happen is"
done

# What unseen code reads of what others write decides what it returns.
ok "builds, readers" foresee-cc -g -O1 -w -I"$here/.." "$here/unseen_reads.c" order.o -L. -lset \
	-Wl,-rpath,"$PWD" -o reads -pthread
ok "builds, a plain reader beside it" foresee-cc -g -O0 -w -I"$here/.." "$here/unseen_reads.c" order.o set.o \
	-o reads_object -pthread
for kind in global heap local pointer many printf snprintf vsnprintf wcscoll strcoll wcstol assembler; do
	try reads_object "$kind"
done
for kind in global heap; do
	try reads "$kind"
done
timeout 60 foresee record -q -o t.foresee ./reads_object global >out 2>err
run foresee check t.foresee
has out 'warning: code that was not recorded' "the report says why it is no more than a warning"
foresee check -f json t.foresee >out 2>err
has out 'was given what threads share' "... and that not every order was considered"
has out '"exhaustive": false' "... in so many words"

# A witness by hand: the other thread first.
timeout 60 foresee record -q -o t.foresee ./library global >out 2>err
foresee print t.foresee >events
awk '/ write .*apart/ { print $1, $2 }' events >writes
mine=$(awk '$2 ~ /^T1:/ { print $1; exit }' writes)
theirs=$(awk '$2 ~ /^T2:/ { print $1; exit }' writes)
order=$(awk -v m="$mine" -v t="$theirs" '$2 ~ /^T1:/ && $1 < m || $2 ~ /^T2:/ && $1 < t { print $1 }' events |
	tr '\n' ' ')
printf 'witness 1\nkind race\ntarget %s %s\nmodel dep\norder %s\n' "$mine" "$theirs" "$order" >hand
run foresee verify t.foresee hand
hasnt out '^certified' "a witness through the read is not certified"
has out 'not recorded' "for the read saw what unseen code wrote"
done_testing
