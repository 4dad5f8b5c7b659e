# The findings in the JSON of `foresee check': a line for each,
#
#	ANALYSIS FIRST-SECOND... CERTIFIED KIND OBJECT
#
# with the positions of its events.  What a budget or a thread's ways kept goodlock from is a line
# "goodlock n/a".
function upto(s, stop) { return substr(s, 1, index(s, stop) - 1) }
# What stands after the first occurrence of a key.
function after(s, key) { return substr(s, index(s, key) + length(key)) }
/does not nest its locks/ { print "goodlock n/a" }
{
	rest = $0
	while (index(rest, "\"kind\": \"")) {
		rest = after(rest, "\"kind\": \"")
		kind = upto(rest, "\"")
		rest = after(rest, "\"analysis\": \"")
		certified = upto(after(rest, "\"certified\": "), ",")
		events = upto(after(rest, "\"events\": ["), "]")
		gsub(/, */, "-", events)
		print upto(rest, "\""), events, certified, kind,
			upto(after(rest, "\"object\": \""), "\"")
	}
}
