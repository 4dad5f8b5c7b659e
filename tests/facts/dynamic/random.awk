# A C file of random functions: awk -v seed=N -v count=N -f random.awk
#
# Integers and arrays; global, private and escaping; loops that carry values,
# skip and leave, some entered by a jump; conditions on parameters mostly, so that loads stay free.

function pick(n) { return int(rand() * n) }
function one(list,    a, n) { n = split(list, a, " "); return a[1 + pick(n)] }
function local() { return "l" pick(5) }
function index_of() { return one("i j n m k") }

function place()
{
	return one("x y z w wide byte s.a s.b bits.lo bits.hi shared q->a q->b " \
		"a[" index_of() "&15] a[3] p[" index_of() "&7]")
}

function value(depth,    r)
{
	r = pick(depth > 2 ? 6 : 13)
	if (r < 2) return place()
	if (r < 5) return local()
	if (r == 5) return one("n m k 1 3 -5 100")
	if (r < 10) return "(" value(depth + 1) one(" + - * & | ^") " " value(depth + 1) ")"
	if (r == 10) return "(" value(depth + 1) one(" >>5 /7 %9 <<3 ==0 <4") ")"
	if (r == 11) return "(" condition() " ? " value(depth + 1) " : " value(depth + 1) ")"
	return "t[" index_of() "&3]"
}

# Parts of loads, with and without sign, and constants at their borders.
function compared()
{
	return "(" one("(signed~char) (unsigned~char) (short) (unsigned) (long) (unsigned~short) (int)") \
		one("x y z w wide byte s.a bits.lo bits.hi q->b a[3] p[0]") one(" &12 &1 &255 &-2 ^0") ")" \
		one(">3 <4 ==0 !=0 <-1 >=-128 >=127 >=128 <255 <=256 ==-1 >65535 <32768 ==4 !=12 <4u >=2147483648u")
}

function condition(    r)
{
	r = pick(12)
	if (r >= 10) {
		r = compared()
		gsub("~", " ", r)
		return r
	}
	if (r == 0) return place() one(" > < == !=") " 3"
	if (r == 1) return local() one(" > < == !=") " 2"
	return "(" one("n m i j k+i n+j m^i") ") " one("&1 &2 >2 <4 ==3")
}

function say(depth, text,    i)
{
	for (i = 0; i < depth; i++)
		printf "\t"
	print text
}

# Where the jump of this function goes, if it is still open: into a loop, when there is one.
function label()
{
	if (jumps)
		print "into: ;"
	jumps = 0
}

function body(depth, loops, n,    i)
{
	for (i = 0; i < n; i++)
		statement(depth, loops)
}

function statement(depth, loops,    r, v)
{
	r = pick(depth > 3 ? 17 : 27)
	if (r < 5) say(depth, local() one(" = += ^=") " " value(0) ";")
	else if (r < 9) say(depth, place() one(" = = += |= ^=") " " value(0) ";")
	else if (r == 9) say(depth, "t[" index_of() "&3] = " value(1) ";")
	else if (r == 10) say(depth, "sink(" one("i j n m 4 " local()) ");")
	else if (r == 11) say(depth, local() " = atomic_fetch_" one("add sub or xor") "(&c, " value(2) ");")
	else if (r == 12) say(depth, "atomic_store(&c, " value(1) ");")
	else if (r == 13) say(depth, one("s2=s; *q=s; memset(b,byte,9); s=own; own=s; memcpy(b,b+20,n&7);"))
	else if (r == 14) say(depth, "escape(&shared);")
	else if (r == 15) {
		if (loops > 0) say(depth, "if (" condition() ") " one("break; continue;"))
	} else if (r == 16) {
		say(depth, "pthread_mutex_unlock(&mutex);")
	} else if (r == 17 || r == 18) {
		v = local()
		say(depth, v " = " (pick(2) ? place() : value(1)) ";")
		body(depth, loops, pick(2))
		say(depth, "pthread_mutex_unlock(&mutex);")
		body(depth, loops, pick(2))
		say(depth, "if (" v one(" > < == !=") one(" 2 0 n") ") {")
		body(depth + 1, loops, 1)
		say(depth, "}")
	} else if (r < 23) {
		say(depth, "if (" condition() ") {")
		body(depth + 1, loops, 1 + pick(3))
		if (pick(2)) {
			say(depth, "} else {")
			body(depth + 1, loops, 1 + pick(3))
		}
		say(depth, "}")
	} else if (r < 26 && loops < 2) {
		v = loops == 0 ? "i" : "j"
		say(depth, "for (" v " = 0; " v " < " one("n m 3 k 5") "; " v "++) {")
		body(depth + 1, loops + 1, 1 + pick(3))
		label()
		body(depth + 1, loops + 1, 1 + pick(2))
		say(depth, "}")
	} else {
		say(depth, "switch (" one("n m i k&3 n^m") ") {")
		say(depth, "case 1: {")
		body(depth + 1, loops, 2)
		say(depth, "} /* fall through */")
		say(depth, "case 3: {")
		body(depth + 1, loops, 1)
		say(depth, "} break;")
		say(depth, "default: {")
		body(depth + 1, loops, 1)
		say(depth, "}")
		say(depth, "}")
	}
}

BEGIN {
	srand(seed)
	print "#include <stdatomic.h>\n#include <string.h>"
	print "struct pair { int a, b, c[4]; } s, s2;"
	print "int x, y, z, w, a[16];\nlong wide;\nunsigned char byte;\nchar b[64];\natomic_int c;"
	print "struct { unsigned lo : 5, hi : 11; } bits;"
	print "char mutex;\nvoid sink(int), escape(int *);\nint pthread_mutex_unlock(char *);"
	for (f = 0; f < count; f++) {
		print "\nint random" f "(int n, int *p, struct pair *q)\n{"
		print "\tint i = 0, j = 0, k = n / 2, m = n ^ 3, shared = x, t[4] = { 1, 2, 3, 4 };"
		print "\tint l0 = 0, l1 = 1, l2 = n, l3 = m, l4 = y;"
		print "\tstruct pair own = { n, m };\n"
		jumps = !pick(6)
		if (jumps)
			say(1, "if (n & 1) goto into;")
		body(1, 0, 6 + pick(8))
		label()
		print "\tz = " value(0) ";"
		print "\treturn " one("0 n i+j l2") ";\n}"
	}
}
