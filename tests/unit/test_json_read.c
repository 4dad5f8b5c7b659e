/*
 * JSON as a tree: what is asked for comes as it was written, what is no JSON is refused with its place.
 */
#include "base/common.h"
#include "base/json_read.h"
#include "tap.h"

static void test_values(void)
{
	static const char text[] =
		"{\"a\": [1, -2.5e3, 18446744073709551615, 18446744073709551616],\n"
		" \"b\": {\"c\": true, \"d\": null, \"c\": false},\r\n"
		"\t\"e\": \"q\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20ac\\ud83d\\ude00\\ud83dx\\u0000\"}";
	struct json_tree t = { 0 };
	struct diag d = { 0 };
	uint32_t all, root, at;

	TAP_OK(json_read(&t, text, strlen(text), "t", &all, &d) == ST_OK, "read: %s", d.message);
	root = json_first(&t, all);
	TAP_OK(json_is(&t, root, JSON_OBJECT) && json_next(&t, root) == JSON_NONE, "one object");
	at = json_first(&t, json_get(&t, root, "a"));
	TAP_OK(json_uint(&t, at) == 1, "a number");
	at = json_next(&t, at);
	TAP_OK(json_is(&t, at, JSON_NUMBER) && json_uint(&t, at) == 0, "no whole number");
	at = json_next(&t, at);
	TAP_OK(json_uint(&t, at) == UINT64_MAX, "the largest");
	at = json_next(&t, at);
	TAP_OK(json_uint(&t, at) == 0, "one that does not fit");
	TAP_OK(json_is_true(&t, json_get(&t, json_get(&t, root, "b"), "c")), "of two the first");
	TAP_OK(json_is(&t, json_get(&t, json_get(&t, root, "b"), "d"), JSON_NULL), "null");
	TAP_STR(json_text(&t, json_get(&t, root, "e")),
		"q\"\\/\b\f\n\r\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbdx\xef\xbf\xbd",
		"escapes");
	at = json_get(&t, json_get(&t, root, "nothing"), "at all");
	TAP_OK(at == JSON_NONE && !json_text(&t, at) && json_uint(&t, at) == 0 &&
		       json_first(&t, at) == JSON_NONE && !json_is_true(&t, at),
	       "what is not there can be asked");
	json_tree_release(&t);
}

static void test_several(void)
{
	static const char text[] = "{} []\n\"x\" 3 true\n";
	struct json_tree t = { 0 };
	struct diag d = { 0 };
	size_t n = 0;
	uint32_t all;

	TAP_OK(json_read(&t, text, strlen(text), "t", &all, &d) == ST_OK, "several: %s", d.message);
	for (uint32_t i = json_first(&t, all); i != JSON_NONE; i = json_next(&t, i))
		n++;
	TAP_OK(n == 5, "values one behind the other");
	json_tree_release(&t);
}

static void refused(const char *text, size_t n, const char *want)
{
	struct json_tree t = { 0 };
	struct diag d = { 0 };
	uint32_t all;

	TAP_OK(json_read(&t, text, n, "t", &all, &d) == ST_BAD_INPUT, "refused: %.20s", text);
	TAP_STR(d.message, want, "why");
	json_tree_release(&t);
}

static void test_refused(void)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "", "t:1:1: nothing in it" },
		{ " \n ", "t:2:2: nothing in it" },
		{ "{", "t:1:2: expected a name in quotes" },
		{ "{\"a\"", "t:1:5: expected a colon" },
		{ "{\"a\" 1}", "t:1:6: expected a colon" },
		{ "[1 2]", "t:1:4: expected a comma, or the end of the list" },
		{ "[1,]", "t:1:4: expected a value" },
		{ "\n\"abc", "t:2:5: a string that does not end" },
		{ "\"a\nb\"", "t:1:3: a character that a string cannot hold" },
		{ "\"\\x\"", "t:1:3: bad escape in a string" },
		{ "\"\\u12g4\"", "t:1:6: bad escape in a string" },
		{ "tru", "t:1:1: expected a value" },
		{ "1-2", "t:1:4: expected a value" },
	};
	char deep[200];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(bad[i].text, strlen(bad[i].text), bad[i].why);
	memset(deep, '[', sizeof(deep));
	refused(deep, sizeof(deep), "t:1:65: lists within lists, too deep");
	refused("\"a\0b\"", 5, "t:1:3: a character that a string cannot hold");
}

int main(void)
{
	test_values();
	test_several();
	test_refused();
	return tap_done();
}
