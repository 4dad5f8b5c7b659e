# The findings in the JSON of `foresee check': a line for each,
#
#	ANALYSIS FIRST-SECOND... CERTIFIED KIND OBJECT
#
# with the positions of its events.  Where it is of two variables of a block, a line more,
#
#	ANALYSIS/cycles FIRST-SECOND... PATTERN BLOCK THREADS
#
# BLOCK as THREAD:EVENT that begins it; where the block is a guess, a line "ANALYSIS/guesses FIRST-SECOND...
# KIND:FIRST-LAST=SCORE".  What a budget or a thread's ways kept goodlock from is a line
# "goodlock n/a".  What lattices count is a line each, "lattice-mvc cuts=4".
function upto(s, stop) { return substr(s, 1, index(s, stop) - 1) }
# What stands after the first occurrence of a key.
function after(s, key) { return substr(s, index(s, key) + length(key)) }
/does not nest its locks/ { print "goodlock n/a" }
function counted(s, name, key, as,    value) {
	value = upto(after(s, "\"" key "\": "), ",")
	gsub(/"/, "", value)
	print name, as "=" value
}
# Algorithm A has no dead ends, so they are not written down.
index($0, "\"lattice\": {") {
	rest = after($0, "\"lattice\": {")
	while (match(rest, /^[, ]*"lattice-[a-z]+": {/)) {
		rest = after(rest, "\"")
		name = upto(rest, "\"")
		rest = after(rest, "{")
		lattice = upto(rest, "}")
		counted(lattice, name, "cuts", "cuts")
		counted(lattice, name, "runs", "runs")
		if (name != "lattice-mvc" || lattice !~ /"dead_ends": 0,/)
			counted(lattice, name, "dead_ends", "deadends")
		if (lattice ~ /"truncated": true/)
			print name, "truncated"
		rest = after(rest, "}")
	}
}
{
	rest = $0
	while (index(rest, "\"kind\": \"")) {
		rest = after(rest, "\"kind\": \"")
		kind = upto(rest, "\"")
		if (index(rest, kind "\", \"analysis\": ") != 1)
			continue # that of a block
		rest = after(rest, "\"analysis\": \"")
		certified = upto(after(rest, "\"certified\": "), ",")
		events = upto(after(rest, "\"events\": ["), "]")
		gsub(/, */, "-", events)
		name = upto(rest, "\"")
		print name, events, certified, kind,
			upto(after(rest, "\"object\": \""), "\"")
		pattern = kind == "atomicity" ? upto(after(rest, "\"pattern\": \""), "\"") : ""
		block = upto(after(rest, "\"block\": {"), "}")
		if (pattern != "" && index(block, "\"score\": "))
			print name "/guesses", events, upto(after(block, "\"kind\": \""), "\"") ":" \
				upto(after(block, "\"first\": "), ",") "-" \
				upto(after(block, "\"last\": "), ",") "=" \
				upto(after(block, "\"score\": "), ",")
		if (pattern == "S" || pattern == "X") {
			threads = upto(after(rest, "\"threads\": ["), "]")
			gsub(/[", ]+/, "-", threads)
			block = after(rest, "\"block\": {")
			print upto(rest, "\"") "/cycles", events, pattern,
				upto(after(block, "\"thread\": \""), "\"") ":" \
				upto(after(block, "\"first\": "), ","), threads
		}
	}
}
