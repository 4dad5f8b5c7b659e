# Holds a recording to what the program's comments say.
#
#	awk -f expect.awk PROGRAM PRINTED
#
# PRINTED is the output of `foresee print'.  In the program:
#
#	// expect T2: lock m; unlock m		all events of T2 that are not about
#						memory, in order; lines add up.  Not those that
#						tell of waiting (request, rdrequest, joining, joinfail, semreq, condreq)
#	// see T1: alloc; write 7		such events of T1, in this order, others between
#	// never T1: unknown			no event of T1 has this word
#	// each T2: wake by			every wake of T2 has these words
#
# An item is an operation and words: each must be among the words of the event's
# line, `!word' must not.  `#name' calls the event by a name, `@name' says that
# the event was woken by that one.  Every thread in the output must be expected
# if any is.  One-time initialisation of things without a name is the libraries' own.

function complain(text)
{
	print text
	bad = 1
}

# Cuts the comments of a source line into items.
function take(line,	parts, n, i, k, m, head, kind, items)
{
	n = split(line, parts, /\/\/ */)
	for (i = 2; i <= n; i++) {
		if (parts[i] !~ /^(expect|see|never|each) T[0-9]+:/)
			continue
		match(parts[i], /^[a-z]+ T[0-9]+:/)
		head = substr(parts[i], 1, RLENGTH - 1)
		m = split(substr(parts[i], RLENGTH + 1), items, ";")
		for (k = 1; k <= m; k++) {
			gsub(/^[ \t]+|[ \t]+$/, "", items[k])
			if (items[k] != "")
				wanted[head, ++nwanted[head]] = items[k]
			if (head ~ /^expect/)
				expects = 1
		}
	}
}

# Does an event have the operation and words of an item?
function fits(item, op, line, id,	w, n, i, has, words, m)
{
	n = split(item, w, /[ \t]+/)
	if (w[1] != op)
		return 0
	m = split(line, words, /[ \t,]+/)
	for (i = 1; i <= m; i++) {
		has[words[i]] = 1
		if (sub(/^[a-z0-9_]+\.(c|cpp):/, "", words[i])) # a static variable
			has[words[i]] = 1
	}
	for (i = 2; i <= n; i++) {
		if (w[i] ~ /^#/)
			named[substr(w[i], 2)] = id
		else if (w[i] ~ /^@/)
			causes[++ncauses] = substr(w[i], 2) "\t" line
		else if (w[i] ~ /^!/ ? substr(w[i], 2) in has : !(w[i] in has))
			return 0
	}
	return 1
}

FNR == NR {
	take($0)
	next
}

$2 ~ /^T[0-9]+:[0-9]+$/ {
	thread = substr($2, 1, index($2, ":") - 1)
	op = $3
	if (op ~ /^"/) # its label, without spaces in these tests
		op = $4
	rest = $0
	head = "see " thread
	if (at[head] < nwanted[head] && fits(wanted[head, at[head] + 1], op, rest, $2))
		at[head]++
	head = "never " thread
	for (i = 1; i <= nwanted[head]; i++)
		if ((" " rest " ") ~ (" " wanted[head, i] " "))
			complain("never " wanted[head, i] ": " $0)
	head = "each " thread
	for (i = 1; i <= nwanted[head]; i++)
		if (index(wanted[head, i], op " ") == 1 && !fits(wanted[head, i], op, rest, $2))
			complain("each " wanted[head, i] ": " $0)
	if (op ~ /^(read|write|rmw|free|alloc|opaque|use|fence|user|begin|end|request|rdrequest|joining|joinfail|semreq|condreq)$/)
		next
	if (op ~ /^once/ && rest ~ / 0x[0-9a-f]+ /)
		next
	head = "expect " thread
	if (at[head] >= nwanted[head] && !expects)
		next
	if (at[head] >= nwanted[head])
		surplus[thread] = surplus[thread] "\n  " $0
	else if (!fits(wanted[head, ++at[head]], op, rest, $2) && !wrong[thread]++)
		complain(thread " wanted `" wanted[head, at[head]] "' and did:\n  " $0)
}

END {
	for (head in nwanted) {
		split(head, w, " ")
		if (w[1] ~ /^(expect|see)$/ && at[head] < nwanted[head] && !wrong[w[2]])
			complain(w[2] " never did: " wanted[head, at[head] + 1] " (" w[1] " " at[head] + 1 ")")
	}
	for (t in surplus)
		if (expects && !wrong[t])
			complain(t " did more than wanted:" surplus[t])
	for (i = 1; i <= ncauses; i++) {
		split(causes[i], w, "\t")
		if (!(w[1] in named) || causes[i] !~ (" by " named[w[1]] "( |$)"))
			complain("not woken by " w[1] " (" named[w[1]] "): " w[2])
	}
	exit bad
}
