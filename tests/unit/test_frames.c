/*
 * Paths as they are shown, long names, folded stacks.
 */
#include "report/frames.h"

#include <unistd.h>

#include "tap.h"

static void path(const char *file, const char *want)
{
	struct strbuf b = { 0 };

	frames_path(file, &b);
	TAP_STR(strbuf_str(&b), want, "%s", file);
	strbuf_release(&b);
}

static void test_paths(void)
{
	path("/usr/lib/a.c", "a.c");
	path("/usr/lib/x/y/../a.c", "x/a.c");
	path("/usr/a.c", "../a.c");
	path("/usr/library/a.c", "../library/a.c");
	path("/a.c", "/a.c");
	path("/elsewhere/a.c", "/elsewhere/a.c");
	path("/usr/bin/../include/./c++//12/a.h", "../include/c++/12/a.h");
	path("/../../a.c", "/../../a.c");
	path("a.c", "a.c");
	path("./a.c", "a.c");
	path("../x/../a.c", "../a.c");
	path("x/../../a.c", "../a.c");
	path("/", "/");
	path("", "");
}

static void name(const char *whole, const char *want)
{
	struct strbuf b = { 0 };

	frames_name(whole, &b);
	TAP_STR(strbuf_str(&b), want, "%s", whole);
	strbuf_release(&b);
}

#define LONG "std::vector<std::basic_string<char, std::char_traits<char> > >"

static void test_names(void)
{
	name("Account<long>::deposit", "Account<long>::deposit");
	name(LONG "::push_back", "std::vector<..>::push_back");
	name(LONG "::operator->", "std::vector<..>::operator->");
	name(LONG "::operator<", "std::vector<..>::operator<");
	name(LONG "::operator<=", "std::vector<..>::operator<=");
	name("f<" LONG ">::g<" LONG ">", "f<..>::g<..>");
}

static void push(struct frames *f, const char *file, uint32_t line, const char *function)
{
	*VEC_PUSH(&f->at) = (struct trace_site){ .file = file, .line = line, .function = function };
}

static void stack(struct frames *f, const char *want, const char *what)
{
	struct strbuf b = { 0 };

	frames_format(f, 2, &b);
	TAP_STR(strbuf_str(&b), want, "%s", what);
	strbuf_release(&b);
	VEC_RELEASE(&f->at);
}

static void test_stacks(void)
{
	static const char *const functions[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
	struct frames f = { 0 };

	push(&f, "/usr/include/x.h", 1, "x");
	push(&f, "/usr/include/x.h", 2, "y");
	push(&f, "/usr/include/x.h", 3, "z");
	push(&f, "a.c", 4, "f");
	push(&f, "a.c", 5, "down");
	push(&f, "a.c", 5, "down");
	push(&f, "a.c", 6, "main");
	stack(&f,
	      "../include/x.h:1 in x\n  ... 2 frames in system headers\n  a.c:4 in f\n"
	      "  a.c:5 in down (2 times)\n  a.c:6 in main\n",
	      "headers and recursion");
	for (uint32_t i = 0; i < 9; i++)
		push(&f, "a.c", i + 1, functions[i]);
	stack(&f,
	      "a.c:1 in a\n  a.c:2 in b\n  a.c:3 in c\n  a.c:4 in d\n  a.c:5 in e\n  a.c:6 in f\n"
	      "  ... 2 more frames\n  a.c:9 in i\n",
	      "a deep one keeps its end");
	for (uint32_t i = 0; i < 8; i++)
		push(&f, "a.c", i + 1, functions[i]);
	stack(&f,
	      "a.c:1 in a\n  a.c:2 in b\n  a.c:3 in c\n  a.c:4 in d\n  a.c:5 in e\n  a.c:6 in f\n"
	      "  a.c:7 in g\n  a.c:8 in h\n",
	      "one that just fits");
}

int main(void)
{
	if (chdir("/usr/lib") != 0)
		return 2;
	test_paths();
	test_names();
	test_stacks();
	return tap_done();
}
