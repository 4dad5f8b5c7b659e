# Holds what foresee finds to what a program's comments say.
#
#	awk -v program=FILE [-v build='-DN=3 ...'] [-v safe=1] -f expect.awk FILE REPORT
#
# REPORT is the output of `foresee check -f json', flattened (tests/cli/flatten.c).  In the program:
#
#	// deadlock NAME	this line is one of the requests of a deadlock; all lines with the
#				same NAME make one finding
#	// deadlock NAME x3	three of its requests stand on this line; x and the name of a macro
#				take the number from the build
#	// deadlock none	nothing may be found
#	// missed deadlock NAME	the same of a deadlock that is known to be missed
#	// warned KIND		a warning of this kind may be shown
#	// through FUNCTION	the request is where this function is called
#	// hangs		the recorded run ends in it (for the runner)
#	// bug: FLAGS		a build with the bugs; // safe: FLAGS, one without (for the runner)
#
# For `deadlock' there may stand the other kinds: join-holding-lock (the join and the requests),
# wait-holding-lock (the request and the wait), lost-wakeup (the signal and the wait).  A line may have
# several marks.  Every finding so marked must be predicted and certified, and nothing else may be
# but warnings of a kind that is allowed.  Prints what differs, and the warnings that were let pass.
# safe=1: this build has no bug, whatever the marks say.

function complain(text)
{
	print text
	bad = 1
}

# A number, or what the build defines the name as.
function times(word,	at)
{
	if (word ~ /^x[0-9]+$/)
		return substr(word, 2) + 0
	at = index(build, "-D" substr(word, 2) "=")
	return at ? substr(build, at + length(word) + 2) + 0 : 1
}

# The marks of a line of the program.
function take(line,	part, n, i, k, w, id, known)
{
	n = split(line, part, /\/\/ */)
	for (i = 2; i <= n; i++) {
		known = sub(/^missed +/, "", part[i])
		split(part[i], w, /[ \t]+/)
		if (w[1] == "warned")
			allowed[w[2]] = 1
		if (w[1] == "through")
			through[w[2]] = 1
		if (w[1] !~ /^(deadlock|join-holding-lock|wait-holding-lock|lost-wakeup)$/ || w[2] == "" ||
		    w[2] == "none" || safe)
			continue
		id = w[1] " " w[2]
		missed[id] = known
		for (k = w[3] ~ /^x/ ? times(w[3]) : 1; k > 0; k--)
			lines[id] = lines[id] " " FNR
	}
}

function unquoted(text)
{
	return text ~ /^"/ ? substr(text, 2, length(text) - 2) : text
}

# Is this a place in the program, and not in a header (lock_guard) or in what calls go through?
function is_ours(key)
{
	return unquoted(value[key "file"]) ~ ("/" program "$") && !(unquoted(value[key "function"]) in through)
}

# The line of a place, or of its first caller that is ours.
function line_of(key,	i)
{
	if (is_ours(key))
		return value[key "line"]
	for (i = 0; (key "stack." i ".line") in value; i++)
		if (is_ours(key "stack." i "."))
			return value[key "stack." i ".line"]
	return unquoted(value[key "file"]) ":" value[key "line"]
}

# Lines of finding f in order; there are few.
function places(f,	n, i, k, at, text, t)
{
	for (n = 0; (f ".places." n ".line") in value; n++) {
		at[n] = line_of(f ".places." n ".")
		for (k = n; k > 0 && at[k - 1] + 0 > at[k] + 0; k--) {
			t = at[k]
			at[k] = at[k - 1]
			at[k - 1] = t
		}
	}
	for (i = 0; i < n; i++)
		text = text " " at[i]
	return text
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
	for (id in lines) {
		split(id, w, " ")
		wanted[w[1] lines[id]] = w[2]
		absent[w[1] lines[id]] = missed[id]
	}
	for (i = 0; (".findings." i ".kind") in value; i++) {
		f = ".findings." i
		kind = unquoted(value[f ".kind"])
		id = kind places(f)
		sure = unquoted(value[f ".status"]) == "predicted" && value[f ".certified"] == "true"
		if (!sure && kind in allowed) {
			print "a warning, allowed: " id
			continue
		}
		found[id] = 1
		if (!sure)
			complain(id ": " unquoted(value[f ".status"]) ", not predicted: " value[f ".why"])
		if (!(id in wanted))
			complain(id ": nobody expects that")
		else if (absent[id])
			complain(id ": " wanted[id] " is found now; the mark says that it is missed")
	}
	for (id in wanted)
		if (!(id in found) && !absent[id])
			complain(id ": " wanted[id] " not predicted")
	exit bad
}
