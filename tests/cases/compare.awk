# Holds what was found (a line for each finding, "MODEL ANALYSIS EVENTS CERTIFIED KIND OBJECT",
# MODEL strict or dep) to the expectations of a case, which comes after it.  Prints
#
#	same NAME | differs NAME: ... | skipped NAME
#
# for each; NAME is what stands after `expect'.
BEGIN {
	n = split("hb shb wcp csp syncp osr eraser goodlock patterns-mhb spd aerodrome aerodrome-data triples inferred", known, " ")
	for (i = 1; i <= n; i++)
		engine[known[i]] = known[i]
	engine["predictable"] = "exact"
	engine["mvc-lattice"] = "lattice-mvc"
	engine["weak-lattice"] = "lattice-weak"
	engine["patterns"] = "patterns-all"
	engine["patterns-parents"] = "patterns"
	# Engines whose findings are proven.
	n = split("shb syncp osr exact races spd triples atomicity atomicity-sp atomicity-osr gap inferred", known, " ")
	for (i = 1; i <= n; i++)
		sound[known[i]] = 1
	# Stages of `atomicity'.
	stage["triples-sp"] = "atomicity-sp"
	stage["triples-osr"] = "atomicity-osr"
	stage["triples-gap"] = "gap"
	# What no engine is asked, but their definitions (tests/unit/test_atomicity_cases.c).
	n = split("blocks csv csv-data csv-predictable csv-data-predictable triples-observed", known, " ")
	for (i = 1; i <= n; i++)
		defined[known[i]] = 1
	# What `deadlocks' finds.
	kind["deadlock"] = kind["join-holding-lock"] = kind["waits"] = 1
}
FILENAME == ARGV[1] && $2 ~ /\/cycles$/ {
	found[$1, $2] = found[$1, $2] " " $3 "," $4 "," $5 "," $6
	next
}
FILENAME == ARGV[1] && $2 ~ /\/guesses$/ {
	found[$1, $2] = found[$1, $2] " " $4 "@" $3
	next
}
FILENAME == ARGV[1] {
	what = $3
	if ($2 == "eraser")
		what = $6 "@" substr($3, index($3, "-") + 1)
	if ($5 == "lost-wakeup" || $5 == "wait-holding-lock") {
		found[$1, $2, "waits"] = found[$1, $2, "waits"] " " $5 \
			($4 == "true" ? "@" : "?") what
		next
	}
	if ($2 ~ /^deadlocks/) {
		found[$1, $2, $5] = found[$1, $2, $5] " " what ($4 == "true" ? "" : "?")
		next
	}
	if ($2 ~ /^aerodrome/) {
		sub(/.*-/, "", what)
		if (!(($1, $2) in found) || what + 0 < substr(found[$1, $2], 3) + 0)
			found[$1, $2] = " @" what
		next
	}
	found[$1, $2] = found[$1, $2] " " what
	if (($2 in sound) && $4 != "true")
		unproven[$1, $2] = unproven[$1, $2] " " $3
	next
}
# The trace: which lock, variable or thread each event is about.
/^  [^#]/ {
	operand[++events] = substr($0, index($0, "(") + 1)
	sub(/[:)].*/, "", operand[events])
}
# The same words, in whatever order.
function same(a, b,    x, y, i, n, left) {
	n = split(a, x, " ")
	if (split(b, y, " ") != n)
		return 0
	for (i = 1; i <= n; i++) {
		left[x[i]]++
		left[y[i]]--
	}
	for (i in left)
		if (left[i])
			return 0
	return 1
}
# Pairs of events as pairs of what they are about, each once.
function named(list,    x, y, i, n, a, b, had, out) {
	n = split(list, x, " ")
	for (i = 1; i <= n; i++) {
		split(x[i], y, "-")
		a = operand[y[1]]
		b = operand[y[2]]
		a = x[i] == "n/a" ? x[i] : a < b ? a "/" b : b "/" a
		if (!(a in had))
			out = out " " a
		had[a] = 1
	}
	return out
}
function verdict(name, got, want, unproven) {
	if (want == "none")
		want = ""
	if (!same(got, want))
		print "differs " name ": got" (got == "" ? " none" : got) ", expected " \
			(want == "" ? "none" : want)
	else if (unproven != "")
		print "differs " name ": not certified:" unproven
	else
		print "same " name
}
function judge(name, analysis, model, want,    got) {
	got = found[model, analysis]
	if (analysis == "goodlock")
		got = named(got)
	verdict(name, got, want, unproven[model, analysis])
}
# Patterns of two variables, each once: TYPE(variable of the way out of the block, of the way back)BLOCK:OTHER.
function cycles(model, analysis,    x, f, e, t, own, i, k, n, v, had, out, name, other) {
	n = split(found[model, analysis "/cycles"], x, " ")
	for (i = 1; i <= n; i++) {
		split(x[i], f, ",")
		split(f[1], e, "-")
		split(substr(f[4], 2), t, "-")
		split(f[3], own, ":")
		v = ""
		for (k = 1; k <= 4; k++)
			if (t[k] == own[1])
				v = v (v == "" ? "" : ",") operand[e[k]]
			else
				other = t[k]
		name = f[2] "(" v ")" own[2] ":" other
		if (!(name in had))
			out = out " " name
		had[name] = 1
	}
	return out
}
# Those of one variable: of three events.
function triples(model, analysis,    x, i, n, out) {
	n = split(found[model, analysis], x, " ")
	for (i = 1; i <= n; i++)
		if (x[i] !~ /-.*-.*-/)
			out = out " " x[i]
	return out
}
# What atomicity finds beside the triples.
function mixed(model, want,    x, i, n, triple, more) {
	n = split(found[model, "triples"], x, " ")
	for (i = 1; i <= n; i++)
		triple[x[i]] = 1
	n = split(found[model, "atomicity"], x, " ")
	for (i = 1; i <= n; i++)
		if (!(x[i] in triple))
			more = more " " x[i]
		else
			delete triple[x[i]]
	for (i in triple)
		more = more " without:" i
	if ((more != "") != (want == "yes") || more ~ /without/)
		print "differs " name ": got" (more == "" ? " none" : more) ", expected " want
	else
		judge(name, "atomicity", model, substr(found[model, "atomicity"], 2))
}
/^expect / {
	name = $2
	want = $0
	sub(/^expect +[^ ]+ */, "", want)
	model = sub(/-dep$/, "", name) ? "dep" : "strict"
	if (name in kind) {
		verdict($2, found[model, "deadlocks", name], want)
		verdict($2 " once", found[model, "deadlocks-once", name], want)
		if (name == "waits")
			verdict($2 " alone", found[model, "waits", name], want)
	} else if (name == "mixed") {
		mixed(model, want)
	} else if (name == "cycles" || name == "cycles-gap") {
		verdict($2, cycles(model, name == "cycles" ? "atomicity" : "gap"), want)
	} else if (name == "guesses") {
		verdict($2, found[model, "inferred/guesses"], want)
	} else if (name in stage) {
		verdict($2, triples(model, stage[name]), want, unproven[model, stage[name]])
	} else if (name in engine) {
		judge($2, engine[name], model, want)
	} else if (!(name in defined)) {
		print "skipped " name
	}
	# Every event of a case has a place of its own, so that places are pairs.
	if (name == "predictable")
		judge(model == "dep" ? "races-dep" : "races", "races", model, want)
}
