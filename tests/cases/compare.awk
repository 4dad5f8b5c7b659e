# Holds what was found (a line for each finding, "MODEL ANALYSIS PAIR CERTIFIED OBJECT", MODEL
# strict or dep) to the expectations of a case, which comes after it.  Prints
#
#	same NAME | differs NAME: ... | skipped NAME
#
# for each; NAME is what stands after `expect'.
BEGIN {
	n = split("hb shb wcp syncp osr eraser", known, " ")
	for (i = 1; i <= n; i++)
		engine[known[i]] = known[i]
	engine["predictable"] = "exact"
	# Engines whose findings are proven.
	sound["shb"] = sound["syncp"] = sound["osr"] = sound["exact"] = sound["races"] = 1
}
FILENAME == ARGV[1] {
	what = $2 == "eraser" ? $5 "@" substr($3, index($3, "-") + 1) : $3
	found[$1, $2] = found[$1, $2] " " what
	if (($2 in sound) && $4 != "true")
		unproven[$1, $2] = unproven[$1, $2] " " $3
	next
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
function judge(name, analysis, model, want,    got) {
	got = found[model, analysis]
	if (want == "none")
		want = ""
	if (!same(got, want))
		print "differs " name ": got" (got == "" ? " none" : got) ", expected " \
			(want == "" ? "none" : want)
	else if (unproven[model, analysis] != "")
		print "differs " name ": not certified:" unproven[model, analysis]
	else
		print "same " name
}
/^expect / {
	name = $2
	want = $0
	sub(/^expect +[^ ]+ */, "", want)
	model = sub(/-dep$/, "", name) ? "dep" : "strict"
	if (!(name in engine)) {
		print "skipped " name
		next
	}
	judge($2, engine[name], model, want)
	# Every event of a case has a place of its own, so that places are pairs.
	if (name == "predictable")
		judge(model == "dep" ? "races-dep" : "races", "races", model, want)
}
