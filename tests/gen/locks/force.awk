# The order in which to run a program of locks.c so that it comes to where finding number k leads
# (gate.h): from what `foresee print' says of its recording, then its report, flattened.
#
# An operation is over when its event is, or, as some accesses need no event, the second of the
# calls around it.  A request is no event of it: it may have to wait yet.  Of a lost wakeup only
# who waits is to wait for ever, and he comes last.
FNR == NR {
	if (match($0, /p\.c:[0-9]+ in thread/)) {
		line[$1] = substr($0, RSTART + 4, RLENGTH - 14) + 0
		op[$1] = $3
		if ($3 ~ /^join/)
			joins[line[$1]] = 1
	}
	next
}
{ split($0, half, "=") }
index($0, ".findings." k ".kind=") == 1 { kind = half[2] }
index($0, ".findings." k ".events.") == 1 { target[line[half[2]]] = 1 }
index($0, ".findings." k ".witness.order.") == 1 { order[++n] = half[2] }
END {
	if (kind == "\"lost-wakeup\"") {
		delete target
		target[line[order[n]]] = 1
	}
	for (i = 1; i <= n; i++) {
		at = line[order[i]]
		what = op[order[i]]
		if (!at || at in target || at in over || what ~ /^(request|rdrequest|joining|alloc)$/)
			continue
		if (what == "read" && at in joins) # whom to join
			continue
		if (what == "opaque" && ++calls[at] < 2)
			continue
		print at
		over[at] = 1
	}
	for (at in target)
		print "target", at
}
