# A witness with something wrong: awk -v how=drop|swap|target -v seed=N -v events=N -f damage.awk.
#
# The digest and what the targets see are left out, so that only the order can be at fault.

BEGIN {
	srand(seed)
}

/^(trace|relaxed)/ || NF == 0 {
	next
}

!order && $1 == "target" && how == "target" {
	$(2 + int(2 * rand())) = 1 + int(events * rand())
}

$1 == "order" {
	order = 1
	$1 = ""
}

!order {
	print
	next
}

{
	k = split($0, part, " ")
	for (i = 1; i <= k; i++)
		word[++n] = part[i]
}

END {
	a = 1 + int(n * rand())
	b = a % n + 1
	if (how == "drop")
		word[a] = ""
	if (how == "swap" && n > 1) {
		part[1] = word[a]
		word[a] = word[b]
		word[b] = part[1]
	}
	printf "order"
	for (i = 1; i <= n; i++)
		printf " %s", word[i]
	print ""
}
