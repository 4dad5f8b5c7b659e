# The functions a C file defines, house style, as a table for hooks.c.

/^[a-z].*\(.*\)$/ { head = $0 }

/^\{/ && head != "" {
	name = head
	sub(/\(.*/, "", name)
	result = name
	sub(/.*[ *]/, "", name)
	types = result ~ /\*/ ? "l" : result ~ /void / ? "v" : result ~ /bool / ? "b" : \
		result ~ /long / ? "l" : "i"
	args = substr(head, index(head, "(") + 1)
	n = split(args, arg, ",")
	for (i = 1; i <= n; i++)
		types = types (arg[i] ~ /\(\*/ ? "f" : arg[i] ~ /\*/ ? "p" : "i")
	names[++count] = name
	rows[count] = "\t{ \"" name "\", (uint64_t (*)(uint64_t, uint64_t, uint64_t))" name ", \"" \
		types "iii\" },"
	head = ""
}

END {
	print "#include \"table.h\""
	for (i = 1; i <= count; i++)
		print "extern void " names[i] "(void);"
	print "const struct subject subjects[] = {"
	for (i = 1; i <= count; i++)
		print rows[i]
	print "};\nconst unsigned nsubjects = " count ";"
}
