# The findings in the JSON of `foresee check': a line for each,
#
#	ANALYSIS FIRST-SECOND CERTIFIED OBJECT
#
# with the positions of its two events.
function upto(s, stop) { return substr(s, 1, index(s, stop) - 1) }
# What stands after the first occurrence of a key.
function after(s, key) { return substr(s, index(s, key) + length(key)) }
{
	rest = $0
	while (index(rest, "\"analysis\": \"")) {
		rest = after(rest, "\"analysis\": \"")
		certified = upto(after(rest, "\"certified\": "), ",")
		events = upto(after(rest, "\"events\": ["), "]")
		sub(/, */, "-", events)
		print upto(rest, "\""), events, certified, upto(after(rest, "\"object\": \""), "\"")
	}
}
