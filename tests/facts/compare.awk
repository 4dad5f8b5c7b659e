# First file: facts as the pass wrote them.  Second: the source with what is expected.
# Prints `same FILE:FUNCTION' or `differs FILE:FUNCTION' and the difference.

function sorted(list,    a, n, i, j, t, r)
{
	n = split(list, a, ";")
	for (i = 1; i <= n; i++) {
		gsub(/^[ \t]+|[ \t]+$/, "", a[i])
		for (j = i; j > 1 && a[j - 1] > a[j]; j--) {
			t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
		}
	}
	for (i = 1; i <= n; i++)
		if (a[i] != "" && (i == 1 || a[i] != a[i - 1]))
			r = r (r == "" ? "" : "; ") a[i]
	return r
}

# Line numbers after "fed:" made relative, in order, each once.
function relative(fact, line,    at, a, n, i, j, t, r)
{
	at = index(fact, "fed:")
	if (!at)
		return fact
	n = split(substr(fact, at + 4), a, ",")
	for (i = 1; i <= n; i++) {
		if (a[i] != "self")
			a[i] -= line
		for (j = i; j > 1 && a[j - 1] "" > a[j] ""; j--) {
			t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
		}
	}
	for (i = 1; i <= n; i++)
		if (i == 1 || a[i] "" != a[i - 1] "")
			r = r (r == "" ? "" : ",") a[i]
	return substr(fact, 1, at + 3) r
}

FILENAME == ARGV[1] {
	if ($5 != "call")
		found[$2] = found[$2] ";" $3 " " $4 " " relative($5, $2)
	next
}

function expectation(text, mark,    at, rest)
{
	at = index(text, "/* " mark "=")
	if (!at)
		return ""
	rest = substr(text, at + length(mark) + 4)
	return ";" substr(rest, 1, index(rest, "*/") - 1)
}

/^[a-z].*[^;]$/ && /\(/ && !inside {
	name = $0
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
}

/^\{/ { inside = 1; trouble = "" }

inside {
	want = sorted(expectation($0, "") expectation($0, level))
	have = sorted(found[FNR])
	if (want != have)
		trouble = trouble "# " file ":" FNR ": expected " (want == "" ? "nothing" : want) \
			", found " (have == "" ? "nothing" : have) "\n"
}

/^\}/ && inside {
	inside = 0
	print (trouble == "" ? "same " : "differs ") file ":" name
	printf "%s", trouble
}
