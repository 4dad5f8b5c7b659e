/*
 * The spec language: what is read, how it is read, and what is refused where.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "spec/spec.h"
#include "tap.h"

/* ---- how things are read ---- */

#define NAMES                                                                            \
	"shared int x; shared int y = -3; shared unsigned char t[3]; shared double f;"   \
	"shared struct node *p; shared bool file.c:flag; shared int @raw;"               \
	"shared long \"odd-file.c\":count; shared int s.a[2].b; shared int \"end.c\":z;" \
	"event e = user(e); event g = call(g); event h = write(x) when x > 0;"           \
	"thread t1 = 1; thread t2 = \"worker\";\n"

static const struct {
	const char *text, *printed; /* bodies of a property */
} good[] = {
	{ "ptltl true", "ptltl true" },
	{ "ptltl x == 1", "ptltl x == 1" },
	/* Precedence: one of two, since, and, or, implies. */
	{ "ptltl x==1 && y==2 || x>3 && y<4",
	  "ptltl ((x == 1) && (y == 2)) || ((x > 3) && (y < 4))" },
	{ "ptltl e() || g() && h() since e()", "ptltl e() || (g() && (h() since e()))" },
	{ "ptltl e() -> g() || h()", "ptltl e() -> (g() || h())" },
	{ "ptltl e() -> g() -> h()", "ptltl e() -> (g() -> h())" },
	{ "ptltl e() <-> g() -> h()", "ptltl e() <-> (g() -> h())" },
	{ "ptltl (e() -> g()) <-> h()", "ptltl (e() -> g()) <-> h()" },
	{ "ptltl e() && g() && h()", "ptltl (e() && g()) && h()" },
	{ "ptltl e() since g() wsince h()", "ptltl (e() since g()) wsince h()" },
	{ "ptltl e() since g() && h()", "ptltl (e() since g()) && h()" },
	{ "ptltl !x == 1", "ptltl !(x == 1)" },
	{ "ptltl !e() && g()", "ptltl !(e()) && g()" },
	{ "ptltl once prev x == 1 since y > 0", "ptltl once(prev(x == 1)) since (y > 0)" },
	{ "ptltl hist start end ! ! e()", "ptltl hist(start(end(!(!(e())))))" },
	{ "ptltl end(x == 1)", "ptltl end(x == 1)" },
	{ "ptltl start(x==1) -> [y==1, x==0)", "ptltl start(x == 1) -> [y == 1, x == 0)" },
	{ "ptltl [e(), g())w since [h(), e())", "ptltl [e(), g())w since [h(), e())" },
	{ "ptltl [e() -> g(), [g(), h())w)", "ptltl [e() -> g(), [g(), h())w)" },
	{ "ptltl [e(),g()) wsince h()", "ptltl [e(), g()) wsince h()" },
	/* Parentheses around formulas and around numbers. */
	{ "ptltl (x == 1) && y > 2", "ptltl (x == 1) && (y > 2)" },
	{ "ptltl (x + 1) * 2 == y", "ptltl ((x + 1) * 2) == y" },
	{ "ptltl ((((x)))) == ((y)) && (((e())))", "ptltl (x == y) && e()" },
	{ "ptltl !((x) == 1)", "ptltl !(x == 1)" },
	{ "ptltl ! (x) == 1", "ptltl !(x == 1)" },
	{ "ptltl once (x + 1) > y", "ptltl once((x + 1) > y)" },
	/* Arithmetic. */
	{ "ptltl x + y * 2 - 3 % y > 0", "ptltl ((x + (y * 2)) - (3 % y)) > 0" },
	{ "ptltl x - 1 - 2 == x/2/y", "ptltl ((x - 1) - 2) == ((x / 2) / y)" },
	{ "ptltl -x < -1", "ptltl -(x) < -1" },
	{ "ptltl x<-1", "ptltl x < -1" },
	{ "ptltl x - -1 == -(1)", "ptltl (x - -1) == -(1)" },
	{ "ptltl e()<->g()", "ptltl e() <-> g()" },
	{ "ptltl x == tid", "ptltl x == tid" },
	{ "ptltl x == 0x1F && y == 'a' && y == '\\n' && y == '\\xff'",
	  "ptltl (((x == 31) && (y == 97)) && (y == 10)) && (y == -1)" },
	{ "ptltl x == 9223372036854775807 || x == -9223372036854775808",
	  "ptltl (x == 9223372036854775807) || (x == -9223372036854775808)" },
	{ "ptltl x < 18446744073709551615ull", "ptltl x < 18446744073709551615" },
	{ "ptltl f > 1.5 && f < 1e300 && f != -0.0 && f == 2.0",
	  "ptltl (((f > 1.5) && (f < 1e+300)) && (f != -0.0)) && (f == 2.0)" },
	{ "ptltl f == 0.1 || f == 0.1f", "ptltl (f == 0.1) || (f == 0.10000000149011612)" },
	{ "ptltl p == NULL", "ptltl p == 0" },
	{ "ptltl file.c:flag == true && false != file.c:flag",
	  "ptltl (file.c:flag == 1) && (0 != file.c:flag)" },
	{ "ptltl (true) == file.c:flag -> true", "ptltl (1 == file.c:flag) -> true" },
	/* Names. */
	{ "ptltl t[3] > @raw", "ptltl t[3] > @raw" },
	{ "ptltl t[0x3] > 1", "ptltl t[3] > 1" },
	{ "ptltl \"odd-file.c\":count > \"file.c\":flag",
	  "ptltl \"odd-file.c\":count > file.c:flag" },
	{ "ptltl s . a [ 2 ] . b == 1 /* a */ // b\n", "ptltl s.a[2].b == 1" },
	{ "ptltl end(\"end.c\":z == 1)", "ptltl end(\"end.c\":z == 1)" },
	{ "ptltl true handler recover", "ptltl true handler recover" },
	/* Regular expressions. */
	{ "ere e must", "ere e must" },
	{ "ere never", "ere () never" },
	{ "ere (e g* h)* must", "ere ((e g*) h)* must" },
	{ "ere .* g .* h never", "ere ((.* g) .*) h never" },
	{ "ere e|g&h must", "ere (e | g) & h must" },
	{ "ere e g|h never", "ere (e g) | h never" },
	{ "ere ~e* g must", "ere ~(e*) g must" },
	{ "ere (~e)* ~(g h)+ never", "ere (~e)* ~((g h)+) never" },
	{ "ere (e|) (&g)? must", "ere (e | ()) (() & g)? must" },
	{ "ere (e+)* ((())) must handler f", "ere (e+)* () must handler f" },
	/* Machines. */
	{ "fsm { initial state A { e -> B; g when x > y -> A; } bad state B { } }",
	  "fsm {\n\tinitial state A {\n\t\te -> B;\n\t\tg when x > y -> A;\n\t}\n\tbad state B { }\n}" },
	{ "fsm any { initial bad state bad{} }", "fsm any {\n\tinitial bad state bad { }\n}" },
	/* mttl. */
	{ "mttl @t1( x > 0 -> !(@t2.@t1.x == y) ) handler h",
	  "mttl @t1((x > 0) -> !(@t2.@t1.x == y)) handler h" },
	{ "mttl @t2(@t1(once e()) && @t1.@raw > @t2.\"odd-file.c\":count)",
	  "mttl @t2(@t1(once(e())) && (@t1.@raw > @t2.\"odd-file.c\":count))" },
};

static void test_good(void)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct strbuf text = { 0 }, got = { 0 }, want = { 0 };
		struct diag d = { { 0 } };
		struct spec *s;

		strbuf_addf(&text, NAMES "property q step event: %s;", good[i].text);
		strbuf_addf(&want, "property q step event: %s;", good[i].printed);
		if (spec_parse("a.spec", text.at, text.n, &s, &d) == ST_OK) {
			spec_print_property(s, &s->properties[0], &got);
			spec_free(s);
		}
		TAP_STR(got.n ? got.at : d.message, want.at, "%s", good[i].text);
		strbuf_release(&text);
		strbuf_release(&got);
		strbuf_release(&want);
	}
}

/* Declarations, and the whole file printed. */
static void test_file(void)
{
	static const char text[] =
		"\xef\xbb\xbf/* caf\xc3\xa9 \xff */ property a: ptltl u() -> x > 0;\r\n"
		"relevant w, file.c:n;\n"
		"event u=user(\"two words\",1,-2,'a',true) by main when x==tid;\n"
		"event any1 = user(); event w = write(x); event r = read(other.v);\n"
		"event c = call(\"ns::f\"); event l = acq(\"a b.c\":m); event l2 = rel(@lk);\n"
		"event l3 = acq( b.cc : ns::inner :: m[2].x); event l4 = rel(\"ns::\");\n"
		"event k = fork(main); event j = join(3); event b = begin(sec);\n"
		"event z = end() by wk; event q = any();\n"
		"thread main=1; thread wk = \"do \\\"it\\\"\";\n"
		"shared unsigned   long const\tint x = 0xffffffffffffffff;\n"
		"shared char *const *  file.c:n = NULL; shared float g = 1;\n"
		"shared enum color hue = 2; shared atomic_bool done = true;\n";
	static const char want[] =
		"shared unsigned long const int x = 18446744073709551615;\n"
		"shared char *const *file.c:n = 0;\n"
		"shared float g = 1;\n"
		"shared enum color hue = 2;\n"
		"shared atomic_bool done = 1;\n"
		"thread main = 1;\n"
		"thread wk = \"do \\\"it\\\"\";\n"
		"event u = user(\"two words\", 1, -2, 97, 1) by main when x == tid;\n"
		"event any1 = user();\n"
		"event w = write(x);\n"
		"event r = read(other.v);\n"
		"event c = call(ns::f);\n"
		"event l = acq(\"a b.c\":m);\n"
		"event l2 = rel(@lk);\n"
		"event l3 = acq(b.cc:ns::inner::m[2].x);\n"
		"event l4 = rel(\"ns::\");\n"
		"event k = fork(main);\n"
		"event j = join(3);\n"
		"event b = begin(sec);\n"
		"event z = end() by wk;\n"
		"event q = any();\n"
		"relevant file.c:n, w;\n"
		"property a: ptltl u() -> (x > 0);\n";
	struct strbuf got = { 0 }, again = { 0 };
	struct diag d = { { 0 } };
	struct spec *s, *back;

	if (!TAP_OK(spec_parse("a", text, sizeof(text) - 1, &s, &d) == ST_OK, "a whole file")) {
		printf("# %s\n", d.message);
		return;
	}
	spec_print(s, &got);
	TAP_STR(got.at, want, "printed");
	TAP_OK(spec_parse("b", got.at, got.n, &back, &d) == ST_OK, "and read back %s", d.message);
	spec_print(back, &again);
	TAP_STR(again.at, want, "to the same");
	TAP_EQ(s->variables[0].type.size, 8, "size");
	TAP_EQ(s->variables[0].type.is_signed, 0, "sign");
	TAP_EQ(s->variables[1].type.kind, SPEC_POINTER, "a pointer");
	TAP_EQ(s->variables[2].type.kind, SPEC_FLOAT, "a float");
	TAP_EQ(s->events[0].by, 0, "by");
	TAP_EQ(s->events[0].nargs, 5, "arguments");
	TAP_EQ(s->events[2].variable, 0, "a declared variable is known as such");
	TAP_EQ(s->events[3].variable, -1, "another is not");
	TAP_STR(s->events[3].args[0].name, "other.v", "but keeps its name");
	TAP_STR(s->events[5].args[0].name, "a b.c:m", "names have no quotes");
	TAP_EQ(s->relevant_variables, 2, "relevant variables");
	TAP_EQ(s->relevant_events, 4, "relevant events");
	TAP_EQ(s->properties[0].events, 1, "events of the property");
	TAP_EQ(s->properties[0].variables, 1, "its variables");
	strbuf_release(&got);
	strbuf_release(&again);
	spec_free(back);
	spec_free(s);
}

/* Through the conditions of events and moves. */
static void test_sets(void)
{
	static const char text[] = "shared int a; shared int b; shared int c; shared int d;\n"
				   "event e = user(e) when b > 0; event g = write(d);\n"
				   "property p: ptltl a == 1 -> e();\n"
				   "property q: fsm { initial state A { e when c > 0 -> A; } };\n"
				   "property r: ere g . never; property n: ptltl true;";
	struct diag d = { { 0 } };
	struct spec *s;

	TAP_OK(spec_parse("a", text, sizeof(text) - 1, &s, &d) == ST_OK, "sets: %s", d.message);
	TAP_EQ(s->properties[0].variables, 3, "a formula's variables");
	TAP_EQ(s->properties[0].events, 1, "and events");
	TAP_EQ(s->properties[1].variables, 6, "a machine's variables");
	TAP_EQ(s->properties[1].events, 1, "and events");
	TAP_EQ(s->properties[2].variables, 0, "an expression has none");
	TAP_EQ(s->properties[2].events, 2, "but events");
	TAP_EQ(s->properties[3].variables | s->properties[3].events, 0, "nothing");
	spec_free(s);
}

/* ---- what is refused ---- */

static const struct {
	const char *text;
	unsigned line, column;
	const char *what;
} bad[] = {
	{ "sharde int x;", 1, 1, "found 'sharde', did you mean 'shared'?" },
	{ "\n\t qoo", 2, 3,
	  "expected 'shared', 'local', 'event', 'relevant', 'thread', 'flow' or 'property', found 'qoo'" },
	{ "shared x;", 1, 8, "expected a type, found 'x'" },
	{ "shared int;", 1, 11, "expected a variable, found ';'" },
	{ "shared int x = ;", 1, 16, "expected a constant, found ';'" },
	{ "shared int x, y;", 1, 13, "expected '=' or ';', found ','" },
	{ "shared int x", 1, 13, "found the end of the file" },
	{ "shared uint23_t x;", 1, 8, "did you mean 'uint32_t'?" },
	{ "shared mytype x;", 1, 8, "unknown type 'mytype'" },
	{ "shared struct s x;", 1, 8, "declare its members" },
	{ "shared struct *x;", 1, 15, "expected a tag" },
	{ "shared void x;", 1, 8, "void" },
	{ "shared long double x;", 1, 8, "long double" },
	{ "shared short char x;", 1, 8, "make no type" },
	{ "shared unsigned float x;", 1, 8, "make no type" },
	{ "shared long long long x;", 1, 8, "make no type" },
	{ "shared unsigned char x = 300;", 1, 26, "300 does not fit the type 'unsigned char'" },
	{ "shared char x = 128;", 1, 17, "does not fit" },
	{ "shared char x = -129;", 1, 17, "-129 does not fit" },
	{ "shared unsigned x = -1;", 1, 21, "does not fit" },
	{ "shared int x = 2147483648;", 1, 16, "does not fit" },
	{ "shared long x = 9223372036854775808;", 1, 17, "does not fit" },
	{ "shared bool x = 2;", 1, 17, "does not fit" },
	{ "shared int x = 1.5;", 1, 16, "1.5 does not fit" },
	{ "shared int *x = -1;", 1, 17, "does not fit" },
	{ "shared float x = 1e39;", 1, 18, "does not fit" },
	{ "shared int x = 1e999;", 1, 16, "too large" },
	{ "shared int x = 99999999999999999999;", 1, 16, "64 bits" },
	{ "shared int x = -9223372036854775809;", 1, 16, "64 bits" },
	{ "shared int x = 017;", 1, 16, "octal" },
	{ "shared int x = 12ab;", 1, 16, "bad number '12ab'" },
	{ "shared int x = 0x;", 1, 16, "bad number" },
	{ "shared int x = 'ab';", 1, 16, "character" },
	{ "shared int once;", 1, 12, "write @once" },
	{ "shared int end.c:x;", 1, 12, "write @end" },
	{ "shared int t[-1];", 1, 14, "expected the number of an element, found '-'" },
	{ "shared int t[1;", 1, 15, "expected ']'" },
	{ "shared int a.1;", 1, 14, "the name of a member, found '1'" },
	{ "shared int a. ;", 1, 15, "the name of a member" },
	{ "shared int x;\nshared char x;", 2, 13,
	  "variable 'x' is declared twice, first on line 1" },
	{ "shared int file.c:x; shared int \"file.c\":x;", 1, 33, "declared twice" },
	{ "shared int x; event x = user(x);", 1, 21, "has the name of the variable" },
	{ "event e = user(e);\n event e = user(f);", 2, 8, "event 'e' is declared twice" },
	{ "thread t = 1; thread t = 2;", 1, 22, "thread 't' is declared twice" },
	{ "thread t = 0;", 1, 12, "counted from 1" },
	{ "thread t = main;", 1, 12, "in quotes, found 'main'" },
	{ "thread t = \"\";", 1, 12, "empty string" },
	{ "event e user(e);", 1, 9, "expected '=', found 'user'" },
	{ "event e = wirte(x);", 1, 11, "did you mean 'write'?" },
	{ "event e = poke(x);", 1, 11, "expected read, write" },
	{ "event e = write;", 1, 16, "expected '(', found ';'" },
	{ "event e = write(x, y);", 1, 20, "write takes a variable or nothing" },
	{ "event e = call();", 1, 15, "call takes the name of a function" },
	{ "event e = any(x);", 1, 15, "any takes nothing" },
	{ "event e = user(a, b);", 1, 19, "expected a constant, found 'b'" },
	{ "event e = user(a, 1.5);", 1, 19, "integers" },
	{ "event e = fork(t);", 1, 16, "thread 't' is not declared" },
	{ "event e = fork(0);", 1, 16, "counted from 1" },
	{ "event e = user(a) by wrkr; thread wrker = 2;", 1, 22, "did you mean 'wrker'?" },
	{ "event e = user(a) by w;", 1, 22, "thread 'w' is not declared: declare it" },
	{ "shared int x; event e = user(a) when x;", 1, 38, "compare it" },
	{ "shared int x; event e = user(a) when x > 1 && x < 3;", 1, 44, "found '&&'" },
	{ "shared int x; event e = user(a) when (x > 1 && x < 3);", 1, 38, "one comparison" },
	{ "event e = user(a) if;", 1, 19, "expected 'by', 'when' or ';', found 'if'" },
	{ "relevant x;", 1, 10, "variable or event 'x' is not declared" },
	{ "property p ptltl true;", 1, 12, "expected ':' or 'step', found 'ptltl'" },
	{ "property p step read: ptltl true;", 1, 17, "expected 'event' or 'write', found 'read'" },
	{ "property p: ltl true;", 1, 13, "expected 'ptltl', 'ere', 'fsm' or 'mttl', found 'ltl'" },
	{ "property p: ptltl true", 1, 23, "found the end of the file" },
	{ "property p: ptltl true; property p: ptltl true;", 1, 34,
	  "property 'p' is declared twice" },
	{ "property p: ptltl ;", 1, 19, "expected a formula, found ';'" },
	{ "property p: ptltl true &&;", 1, 26, "expected a formula, found ';'" },
	{ "property p: ptltl && true;", 1, 19, "expected a formula, found '&&'" },
	{ "property p: ptltl == 1;", 1, 19, "expected a formula, found '=='" },
	{ "shared int x; property p: ptltl x ==;", 1, 37, "expected a number, found ';'" },
	{ "property p: ptltl true & true;", 1, 24, "did you mean '&&'?" },
	{ "property p: ptltl true and true;", 1, 24, "did you mean '&&'?" },
	{ "shared int x; property p: ptltl x = 1;", 1, 35, "did you mean '=='?" },
	{ "shared int landing;\nproperty p: ptltl once landng == 1;", 2, 24,
	  "did you mean 'landing'?" },
	{ "property p: ptltl z == 1;", 1, 19, "variable 'z' is not declared: declare it" },
	{ "event opened = user(o); property p: ptltl openend();", 1, 43, "did you mean 'opened'?" },
	{ "event o = user(o); property p: ptltl o -> true;", 1, 38, "a number stands where" },
	{ "event o = user(o); property p: ptltl o == 1;", 1, 38, "'o' is an event: write 'o()'" },
	{ "shared int x; property p: ptltl x();", 1, 33, "'x' is a variable, not an event" },
	{ "event o = user(o); property p: ptltl o(1);", 1, 40, "an event has no arguments" },
	{ "shared int x; property p: ptltl x;", 1, 33, "compare it" },
	{ "shared int x; property p: ptltl !(x + 1);", 1, 34, "compare it" },
	{ "shared int x; property p: ptltl 1 < x < 3;", 1, 33, "write a < b && b < c" },
	{ "shared int x; property p: ptltl (x == 1) + 1 == 2;", 1, 33, "not a number" },
	{ "shared int x; property p: ptltl x == (once true);", 1, 38, "a formula stands where" },
	{ "shared int x; property p: ptltl (x == 1;", 1, 40,
	  "expected an operator or ')', found ';'" },
	{ "shared int x; property p: ptltl [x == 1 x == 2);", 1, 41,
	  "expected an operator or ','" },
	{ "property p: ptltl [true, true];", 1, 30,
	  "expected an operator, ')' or ')w', found ']'" },
	{ "shared int *q; property p: ptltl q + 1 == 2;", 1, 36, "pointer" },
	{ "shared int *q; property p: ptltl q == 1.5;", 1, 36, "floating-point" },
	{ "shared double f; property p: ptltl f % 2 == 0;", 1, 38, "'%' takes integers" },
	{ "thread t = 1; property p: ptltl @t(true);", 1, 33, "mttl properties only" },
	{ "thread t = 1; shared int x; property p: ptltl @t.x == 1;", 1, 47,
	  "mttl properties only" },
	{ "property p: mttl true;", 1, 18, "expected '@' and a thread, found 'true'" },
	{ "property p: mttl @t(true);", 1, 19, "thread 't' is not declared" },
	{ "thread t = 1; property p: mttl @t(@u(true));", 1, 35, "thread 'u' is not declared" },
	{ "thread t = 1; property p: mttl @t(@t.tid == 1);", 1, 38, "stands a variable" },
	{ "thread t = 1; property p: mttl @t(@t.5 == 1);", 1, 38, "expected a variable" },
	{ "event a = user(a); property p: ere a;", 1, 37, "expected 'never' (violated" },
	{ "event a = user(a); property p: ere (a must;", 1, 39, "or ')', found 'must'" },
	{ "event a = user(a); property p: ere a** must;", 1, 38, "found '*'" },
	{ "event a = user(a); property p: ere ~ must;", 1, 38, "expected an event, '.' or '('" },
	{ "property p: ere a must;", 1, 17, "event 'a' is not declared" },
	{ "property p: fsm { };", 1, 10, "'p' has no initial state" },
	{ "property p: fsm { state A { } };", 1, 10, "no initial state" },
	{ "property p: fsm { initial state A { } initial state B { } };", 1, 53,
	  "a second initial state: 'A'" },
	{ "property p: fsm { initial state A { } state A { } };", 1, 45, "a state 'A' already" },
	{ "property p: fsm { bad initial state A { } };", 1, 23, "expected 'state'" },
	{ "event e = user(e); property p: fsm { initial state Ab { e -> Abc; } };", 1, 62,
	  "did you mean 'Ab'?" },
	{ "event e = user(e); property p: fsm { initial state A { e -> Zz; } };", 1, 61,
	  "there is no state 'Zz'" },
	{ "event e = user(e); property p: fsm { initial state A { e A; } };", 1, 58,
	  "expected 'when' or '->', found 'A'" },
	{ "property p: fsm { initial state A { e -> A; } };", 1, 37, "event 'e' is not declared" },
	{ "property p: fsm { initial state A { }", 1, 38,
	  "'initial', 'bad', 'state' or '}', found the end" },
	{ "property p: fsm all { };", 1, 17, "expected 'any' or '{', found 'all'" },
	{ "/* abc", 1, 1, "'*/' is missing" },
	{ "thread t = \"abc\nd\";", 1, 12, "does not end on its line" },
	{ "thread t = \"a\\nb\";", 1, 15, "backslash" },
	{ "thread t = \"a\tb\";", 1, 14, "control byte 0x09" },
	{ "shared int \x01x;", 1, 12, "control byte 0x01" },
	{ "shared int \xc3\xa4;", 1, 12, "names are of ASCII letters" },
	{ "shared int \xc0\xaf;", 1, 12, "byte 0xc0 is not UTF-8" },
	{ "shared int \xed\xa0\x80;", 1, 12, "byte 0xed is not UTF-8" },
	{ "shared int #;", 1, 12, "'#' is no part of the language" },
};

static void test_bad(void)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct diag d = { { 0 } };
		struct spec *s;
		char place[40];
		bool right;

		snprintf(place, sizeof(place), "f.spec:%u:%u: ", bad[i].line, bad[i].column);
		right = spec_parse("f.spec", bad[i].text, strlen(bad[i].text), &s, &d) ==
				ST_BAD_INPUT &&
			!s && strncmp(d.message, place, strlen(place)) == 0 &&
			strstr(d.message, bad[i].what);
		if (!TAP_OK(right, "%zu %s", i, bad[i].what))
			printf("# got %s\n# want %s\n", d.message, place);
		spec_free(s);
	}
}

static void refuse(const char *text, size_t n, const char *message, const char *name)
{
	struct diag d = { { 0 } };
	struct spec *s;

	TAP_OK(spec_parse("f", text, n, &s, &d) != ST_OK && !s, "%s", name);
	TAP_STR(d.message, message, "%s: message", name);
	spec_free(s);
}

/* The line and the caret, to the letter. */
static void test_carets(void)
{
	struct strbuf text = { 0 };

	refuse("\tshared\tint 5;\n", 15,
	       "f:1:13: expected a variable, found '5'\n  \tshared\tint 5;\n  \t      \t    ^",
	       "tabs stay");
	refuse("/* \xc3\xa4\xff\x02 */ ?\r\n", 14,
	       "f:1:12: expected 'shared', 'local', 'event', 'relevant', 'thread', 'flow' or 'property', found '?'\n"
	       "  /* \xc3\xa4?? */ ?\n            ^",
	       "a caret counts characters");
	refuse("shared", 6,
	       "f:1:7: expected a type, found the end of the file\n  shared\n        ^", "the end");
	refuse("\n\nshared int a\0b;", 17,
	       "f:3:13: a NUL byte: this is not text\n  shared int a?b;\n              ^", "NUL");
	refuse("// a\0", 5, "f:1:5: a NUL byte: this is not text\n  // a?\n      ^",
	       "NUL in a comment");
	for (int i = 0; i < 500000; i++)
		strbuf_adds(&text, "  ");
	strbuf_adds(&text, "$");
	for (int i = 0; i < 500000; i++)
		strbuf_adds(&text, "ab");
	refuse(text.at, text.n,
	       "f:1:1000001: '$' is no part of the language\n"
	       "  ...                                                                        "
	       "$abababababababababababababababababababababababa...\n"
	       "                                                                             ^",
	       "a long line is shown in part");
	strbuf_release(&text);
}

/* ---- limits ---- */

static void repeat(struct strbuf *b, const char *text, int n)
{
	while (n-- > 0)
		strbuf_adds(b, text);
}

static void limit(const char *before, const char *one, int n, const char *middle, const char *two,
		  const char *after, const char *what)
{
	struct strbuf text = { 0 };
	struct diag d = { { 0 } };
	struct spec *s;
	enum status st;

	strbuf_adds(&text, before);
	repeat(&text, one, n);
	strbuf_adds(&text, middle);
	repeat(&text, two, n);
	strbuf_adds(&text, after);
	st = spec_parse("f", text.at, text.n, &s, &d);
	if (what)
		TAP_OK(st != ST_OK && strstr(d.message, what), "%d times '%s%s': %s", n, one, two,
		       what);
	else
		TAP_OK(st == ST_OK, "%d times '%s%s' %s", n, one, two, d.message);
	spec_free(s);
	strbuf_release(&text);
}

static void test_limits(void)
{
	const char *deep = "nested deeper than 500";
	const char *many = "more than 10000";

	limit("property p: ptltl ", "(", 900, "true", ")", ";", NULL);
	limit("property p: ptltl ", "(", 1000000, "true", ")", ";", deep);
	limit("property p: ptltl ", "!", 400, "true", "", ";", NULL);
	limit("property p: ptltl ", "!", 100000, "true", "", ";", deep);
	limit("property p: ptltl ", "[", 100000, "", "", "", deep);
	limit("property p: ptltl true", "&& true", 400, "", "", ";", NULL);
	limit("property p: ptltl true", "&& true", 600, "", "", ";", deep);
	limit("property p: ptltl ", "true -> ", 400, "true", "", ";", NULL);
	limit("property p: ptltl ", "true -> ", 100000, "true", "", ";", deep);
	limit("property p: ptltl 1 == ", "-(", 100000, "1", ")", ";", deep);
	limit("property p: ptltl 1 == 1", " + 1", 100000, "", "", ";", deep);
	limit("thread t = 1; property p: mttl @t(", "@t(", 100000, "", "", "", deep);
	limit("thread t = 1; property p: mttl @t(", "@t.", 100000, "", "", "", deep);
	limit("property p: ere ", "(", 100000, "", ")", " must;", deep);
	limit("property p: ere ", ".", 400, "", "", " must;", NULL);
	limit("property p: ere ", ".|", 100000, "", "", " must;", deep);
	limit("event e = user(e); property p: fsm { initial state A {", "e -> A;", 9000, "", "",
	      "} };", NULL);
	limit("event e = user(e); property p: fsm { initial state A {", "e -> A;", 10001, "", "",
	      "} };", many);
}

/* 64 of each, and no more. */
static void test_counts(void)
{
	static const struct {
		const char *format, *what;
	} kinds[] = {
		{ "shared int v%d;", "more than 64 variables" },
		{ "event e%d = user(e);", "more than 64 events" },
		{ "thread t%d = 1;", "more than 64 threads" },
		{ "property p%d: ptltl true;", "more than 64 properties" },
	};

	for (size_t k = 0; k < 4; k++) {
		for (int n = 64; n <= 65; n++) {
			struct strbuf text = { 0 };
			struct diag d = { { 0 } };
			char one[64];
			struct spec *s;
			enum status st;

			for (int i = 0; i < n; i++) {
				snprintf(one, sizeof(one), kinds[k].format, i);
				strbuf_adds(&text, one);
			}
			st = spec_parse("f", text.at, text.n, &s, &d);
			TAP_OK(n == 64 ? st == ST_OK
				       : st != ST_OK && strstr(d.message, kinds[k].what),
			       "%d: %s", n, kinds[k].what);
			spec_free(s);
			strbuf_release(&text);
		}
	}
}

static void test_files(void)
{
	char *big = calloc(1, SPEC_BYTES + 1);
	struct diag d = { { 0 } };
	struct spec *s;

	TAP_OK(spec_read("/nonexistent/x", &s, &d) == ST_IO && strstr(d.message, "cannot open"),
	       "no file");
	diag_clear(&d);
	TAP_OK(spec_read("/", &s, &d) == ST_IO && strstr(d.message, "cannot read '/'"),
	       "a directory");
	diag_clear(&d);
	memset(big, ' ', SPEC_BYTES + 1);
	TAP_OK(spec_parse("f", big, SPEC_BYTES, &s, &d) == ST_OK, "16 MB of blanks");
	spec_free(s);
	TAP_OK(spec_parse("f", big, SPEC_BYTES + 1, &s, &d) == ST_LIMIT &&
		       strstr(d.message, "16 MB"),
	       "one more");
	diag_clear(&d);
	TAP_OK(spec_parse("f", "", 0, &s, &d) == ST_OK && s->nproperties == 0, "nothing at all");
	spec_complain(s, (struct spec_spot){ 7, 9 }, &d, "late");
	TAP_STR(d.message, "f:7:9: late\n  \n  ^", "a place that is not there");
	spec_free(s);
	TAP_OK(spec_parse("f", "x", 1, &s, NULL) == ST_BAD_INPUT && !s, "nobody listens");
	free(big);
}

int main(void)
{
	test_good();
	test_file();
	test_sets();
	test_bad();
	test_carets();
	test_limits();
	test_counts();
	test_files();
	return tap_done();
}
