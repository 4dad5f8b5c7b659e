# Holds what foresee finds to what a program's comments say.
#
#	awk [-v only_counts=1] -f expect.awk FILE REPORT
#
# REPORT is the output of `foresee check -f json', flattened (tests/cli/flatten.c).  In the program:
#
#	// property NAME	this line is where the property is violated
#	// property-error NAME	this line is where an expression of it has no value
#	// fine			nothing may be found
#	// counts ENGINE: cuts=6 runs=3 ...	what the lattice must be, if ENGINE is in the report
#
# All of these must be predicted and certified, and nothing else may be found.  Prints what differs.

function complain(text)
{
	print text
	bad = 1
}

# The marks of a line of the program.
function take(line,	part, n, i, w)
{
	n = split(line, part, /\/\/ */)
	for (i = 2; i <= n; i++) {
		split(part[i], w, /[ \t]+/)
		if (w[1] == "property" || w[1] == "property-error")
			wanted[w[1] " " w[2] " " FNR] = 1
		if (w[1] == "counts")
			counts[substr(w[2], 1, length(w[2]) - 1)] = part[i]
	}
}

function unquoted(text)
{
	return text ~ /^"/ ? substr(text, 2, length(text) - 2) : text
}

function compare_counts(engine,	n, i, w, kv, key)
{
	if (!((".lattice." engine ".cuts") in value))
		return
	n = split(counts[engine], w, /[ \t]+/)
	for (i = 3; i <= n; i++) {
		split(w[i], kv, "=")
		key = ".lattice." engine "." kv[1]
		if (unquoted(value[key]) != kv[2])
			complain(engine ": " kv[1] " " value[key] ", wanted " kv[2])
	}
	if (value[".lattice." engine ".truncated"] != "false")
		complain(engine ": truncated")
}

FNR == NR {
	take($0)
	next
}

{
	at = index($0, "=")
	value[substr($0, 1, at - 1)] = substr($0, at + 1)
}

END {
	if (unquoted(value[".foresee"]) != 1)
		complain("no report")
	for (engine in counts)
		compare_counts(engine)
	if (only_counts)
		exit bad
	for (i = 0; (".findings." i ".kind") in value; i++) {
		f = ".findings." i
		id = unquoted(value[f ".kind"]) " " unquoted(value[f ".property"]) " " value[f ".places.0.line"]
		found[id] = 1
		if (unquoted(value[f ".status"]) != "predicted" || value[f ".certified"] != "true")
			complain(id ": " unquoted(value[f ".status"]) ", not certified: " value[f ".why"])
		if (!(id in wanted))
			complain(id ": nobody expects that")
	}
	for (id in wanted)
		if (!(id in found))
			complain(id ": not predicted")
	exit bad
}
