# Holds the split blocks that foresee predicts to what a program's comments say.
#
#	awk -f expect.awk PROGRAM REPORT.json
#
# In the program, `// split NAME' stands on each line of a finding, with all names where there are
# several.  REPORT is the output of `foresee check -f json'.  Prints what differs, as sets of lines;
# every finding must be predicted and certified.

function value(text, key) {
	if (!match(text, "\"" key "\": *[^,}]*"))
		return ""
	text = substr(text, RSTART, RLENGTH)
	sub(/^[^:]*: */, "", text)
	gsub(/"/, "", text)
	return text
}

FNR == 1 { file++ }

file == 1 && match($0, /\/\/ split [a-z ]+/) {
	n = split(substr($0, RSTART + 9, RLENGTH - 9), name, " ")
	for (i = 1; i <= n; i++)
		lines[name[i]] = lines[name[i]] " " FNR
}

file == 2 { report = report $0 }

END {
	for (i in lines)
		wanted[lines[i]] = i
	sub(/^.*"findings": *\[/, "", report)
	n = split(report, finding, /\{"id": */)
	for (i = 2; i <= n; i++) {
		split(finding[i], places, /"places": */)
		k = split(places[2], place, /"thread": *"[^"]*", "label"/)
		split("", has)
		for (j = 2; j <= k; j++)
			has[value(place[j], "line") + 0] = 1
		set = ""
		for (j = 1; j < 200; j++)
			if (j in has)
				set = set " " j
		found[set] = 1
		if (value(finding[i], "status") != "predicted" || value(finding[i], "certified") != "true") {
			print "lines" set ": " value(finding[i], "status") ", not predicted"
			bad = 1
		}
		if (!(set in wanted)) {
			print "lines" set ": a split block that nobody expects"
			bad = 1
		}
	}
	for (set in wanted)
		if (!(set in found)) {
			print "lines" set ": " wanted[set] " not predicted"
			bad = 1
		}
	exit bad
}
