# Holds the races that foresee predicts to what a program's comments say.
#
#	awk -f expect.awk PROGRAM REPORT.json
#
# In the program, `// race NAME' stands on both lines of a race, `// race NAME NAME' on the only
# line of one that races with itself.  REPORT is the output of `foresee check -f json'.  Prints what
# differs, as pairs of lines; every finding must be predicted and certified.

function pair(a, b) { return a + 0 < b + 0 ? a "-" b : b "-" a }

FNR == 1 { file++ }

file == 1 && match($0, /\/\/ race [a-z]+( [a-z]+)?/) {
	n = split(substr($0, RSTART + 8, RLENGTH - 8), name, " ")
	if (n == 2)
		wanted[pair(FNR, FNR)] = name[1]
	else if (name[1] in first)
		wanted[pair(first[name[1]], FNR)] = name[1]
	else
		first[name[1]] = FNR
	next
}

file == 2 { report = report $0 }

function value(text, key) {
	if (!match(text, "\"" key "\": *[^,}]*"))
		return ""
	text = substr(text, RSTART, RLENGTH)
	sub(/^[^:]*: */, "", text)
	gsub(/"/, "", text)
	return text
}

END {
	sub(/^.*"findings": *\[/, "", report)
	n = split(report, finding, /\{"id": */)
	for (i = 2; i <= n; i++) {
		sub(/"witness":.*$/, "", finding[i])
		if (split(finding[i], place, /"thread": */) != 3) {
			print "finding " i - 1 ": not two places"
			bad = 1
			continue
		}
		p = pair(value(place[2], "line"), value(place[3], "line"))
		found[p] = 1
		if (value(finding[i], "status") != "predicted" || value(finding[i], "certified") != "true") {
			print "lines " p ": " value(finding[i], "status") ", not predicted"
			bad = 1
		}
		if (!(p in wanted)) {
			print "lines " p ": a race that nobody expects"
			bad = 1
		}
	}
	for (p in wanted)
		if (!(p in found)) {
			print "lines " p ": race on " wanted[p] " not predicted"
			bad = 1
		}
	exit bad
}
