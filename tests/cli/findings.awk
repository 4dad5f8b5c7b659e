# Findings of flattened JSON (flatten.c), one a line, with tabs:
#
#	EVENTS  STATUS  ANALYSIS  OBJECT  PLACES
#
# PLACES are file:line:function, sorted, as the pair that names a finding.  With -v short=1 they
# are file:line, which is what text keeps of code that has no line.

function unquoted(text)
{
	return text == "null" ? "" : text ~ /^"/ ? substr(text, 2, length(text) - 2) : text
}

function place(finding, i,	key)
{
	key = finding ".places." i "."
	return unquoted(value[key "file"]) ":" value[key "line"] \
		(short ? "" : ":" unquoted(value[key "function"]))
}

/^\.findings\.[0-9]/ {
	at = index($0, "=")
	split($0, part, ".")
	value[substr($0, 1, at - 1)] = substr($0, at + 1)
	last = part[3]
	any = 1
}

END {
	for (i = 0; any && i <= last + 0; i++) {
		f = ".findings." i
		a = place(f, 0)
		b = place(f, 1)
		print value[f ".events.0"] " " value[f ".events.1"] "\t" unquoted(value[f ".status"]) \
			"\t" unquoted(value[f ".analysis"]) "\t" value[f ".object"] "\t" \
			(a < b ? a " " b : b " " a)
	}
}
