/*
 * Suppression files: what is a rule, where mistakes are, what a rule hides.
 */
#include "finding/suppress.h"

#include <string.h>

#include "base/diag.h"
#include "tap.h"

static void expect_error(const char *text, const char *want)
{
	struct suppress *s;
	struct diag d = { 0 };

	TAP_OK(suppress_parse(text, strlen(text), "f", &s, &d) == ST_BAD_INPUT, "refused: %s",
	       want);
	TAP_STR(d.message, want, "says why and where");
	TAP_OK(s == NULL, "gives nothing");
}

static void test_errors(void)
{
	expect_error("race:variable", "f:1:1: expected KIND:PART:GLOB, not 'race:variable'");
	expect_error("# x\n\n  nonsense\n", "f:3:3: expected KIND:PART:GLOB, not 'nonsense'");
	expect_error("rcae:variable:x", "f:1:1: unknown kind of finding 'rcae'");
	expect_error("\trace:var:x\n",
		     "f:1:7: expected variable, lock, function, file or property, not 'var'");
	expect_error("race:file:", "f:1:11: empty pattern after 'race:file:'");
	expect_error("race:file:  \nx", "f:1:11: empty pattern after 'race:file:'");
}

static struct suppress *parse(const char *text)
{
	struct suppress *s = NULL;
	struct diag d = { 0 };

	if (suppress_parse(text, strlen(text), "f", &s, &d) != ST_OK)
		printf("# %s\n", d.message);
	return s;
}

/* One rule against one variable, function and file. */
static bool hides(const char *rule, const char *variable, const char *function, const char *file)
{
	struct suppress *s = parse(rule);
	struct suppress_names names = { 0 };
	bool hidden;

	*VEC_PUSH(&names.variables) = variable;
	*VEC_PUSH(&names.functions) = "main";
	*VEC_PUSH(&names.functions) = function;
	*VEC_PUSH(&names.files) = file;
	hidden = suppress_match(s, FINDING_RACE, &names);
	VEC_RELEASE(&names.variables);
	VEC_RELEASE(&names.functions);
	VEC_RELEASE(&names.files);
	suppress_free(s);
	return hidden;
}

static void test_match(void)
{
	TAP_OK(hides("race:variable:total", "total", "f", "a.c"), "a variable by name");
	TAP_OK(!hides("race:variable:tot", "total", "f", "a.c"), "all of it");
	TAP_OK(hides("race:variable:stats.*", "stats.hits", "f", "a.c"), "by pattern");
	TAP_OK(!hides("race:variable:f", "total", "f", "a.c"), "a function is no variable");
	TAP_OK(hides("race:function:log_?", "x", "log_1", "a.c"), "any frame's function");
	TAP_OK(hides("race:function:main", "x", "f", "a.c"), "the outermost too");
	TAP_OK(hides("race:file:a.c", "x", "f", "/src/lib/a.c"), "a file by its last part");
	TAP_OK(hides("race:file:*/lib/*", "x", "f", "/src/lib/a.c"), "or by all of its path");
	TAP_OK(!hides("race:file:lib", "x", "f", "/src/lib/a.c"), "not by a part between");
	TAP_OK(hides("*:variable:x", "x", "f", "a.c"), "any kind");
	TAP_OK(hides("race:lock:x", "x", "f", "a.c"), "a lock is a variable");
	TAP_OK(hides("  race:variable:std::map[0-9] \r\n", "std::map4", "f", "a.c"),
	       "colons and brackets in a pattern");
	TAP_OK(!hides("# race:variable:x", "x", "f", "a.c"), "a comment is no rule");
}

static void test_counts(void)
{
	struct suppress *s = parse("race:variable:a*\n# c\nrace:variable:ab\nrace:variable:b\n");
	struct suppress_names names = { 0 };

	TAP_EQ(suppress_count(s), 3, "three rules");
	*VEC_PUSH(&names.variables) = "ab";
	suppress_match(s, FINDING_RACE, &names);
	suppress_match(s, FINDING_RACE, &names);
	TAP_EQ(suppress_rule(s, 0).hits, 2, "the first rule that matches counts");
	TAP_EQ(suppress_rule(s, 1).hits, 0, "not the next");
	TAP_EQ(suppress_rule(s, 2).line, 4, "lines are counted");
	TAP_STR(suppress_rule(s, 1).text, "race:variable:ab", "as written");
	suppress_begin(s);
	TAP_EQ(suppress_rule(s, 0).hits, 0, "counting anew");
	TAP_OK(suppress_rule(s, 0).used && !suppress_rule(s, 2).used, "but use is remembered");
	VEC_RELEASE(&names.variables);
	suppress_free(s);
}

int main(void)
{
	struct suppress *s;
	struct diag d = { 0 };

	test_errors();
	test_match();
	test_counts();
	TAP_OK(suppress_read("/nonexistent/rules", &s, &d) == ST_IO, "a file that is not there");
	TAP_STR(d.message, "cannot read '/nonexistent/rules': No such file or directory", "named");
	diag_clear(&d);
	TAP_OK(suppress_parse("race:file:a\0b", 13, "f", &s, &d) == ST_BAD_INPUT, "a NUL");
	TAP_STR(d.message, "f:1:12: NUL in rule 'race:file:a'", "has a place");
	return tap_done();
}
