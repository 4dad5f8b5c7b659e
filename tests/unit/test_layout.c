/* Layouts as recordings carry them: parts of all kinds, and text that is no layout. */
#include "names/layout_text.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/strbuf.h"
#include "tap.h"

static const char layout[] =
	"{id@0:i8\"long\" @8:{balance@0:u4\"word_t\" limit@4:f4\"float\"}8\"struct {...}\" "
	"t@16:[2][3]i2\"short\" next@32:p8\"struct s *\" flag@40:b4\"unsigned int\" "
	"c@44:c1\"char\" all@48:[2]{a@0:i4\"int\" b@4:x4\"odd\"}8\"struct p\"}64\"struct s\"";

static struct intern *names;

static enum status part(const char *path, uint64_t *offset, struct layout_type *type,
			struct strbuf *why)
{
	strbuf_clear(why);
	return layout_text_part(layout, path, names, offset, type, why);
}

static void found(const char *path, uint64_t at, enum layout_kind kind, uint64_t size,
		  const char *name)
{
	struct strbuf why = { 0 };
	struct layout_type type;
	uint64_t offset;

	TAP_EQ(part(path, &offset, &type, &why), ST_OK, "%s is there", path);
	TAP_EQ(offset, at, "%s: where", path);
	TAP_EQ(type.kind, kind, "%s: kind", path);
	TAP_EQ(type.size, size, "%s: size", path);
	TAP_STR(type.text, name, "%s: name", path);
	strbuf_release(&why);
}

static void refused(const char *path, const char *words)
{
	struct strbuf why = { 0 };
	struct layout_type type;
	uint64_t offset;

	TAP_EQ(part(path, &offset, &type, &why), ST_BAD_INPUT, "%s is not there", path);
	TAP_OK(strstr(strbuf_str(&why), words) != NULL, "%s: %s", path, words);
	strbuf_release(&why);
}

static void named(const char *text, uint64_t offset, const char *name, uint64_t left)
{
	struct strbuf out = { 0 };
	uint64_t at = offset;

	layout_text_name(text, &at, &out);
	TAP_STR(strbuf_str(&out), name, "+%u: name", (unsigned)offset);
	TAP_EQ(at, left, "+%u: what is left", (unsigned)offset);
	strbuf_release(&out);
}

static void test_names(void)
{
	static const char lock[] =
		"{__data@0:{a@0:i4\"int\"}40\"\" __size@0:[40]c1\"char\"}40\"pthread_mutex_t\"";
	char table[512], own[512];

	named(layout, 12, ".limit", 0);
	named(layout, 14, ".limit", 2);
	named(layout, 26, ".t[1][2]", 0);
	named(layout, 60, ".all[1].b", 0);
	named(layout, 0, "", 0); /* a number at the beginning: the struct itself is meant */
	named(layout, 64, "", 64);
	named("i4\"int\"", 0, "", 0);
	snprintf(table, sizeof(table), "[2]{m@0:%s v@40:i4\"int\" k@48:%s}88\"struct a\"", lock,
		 lock);
	named(table, 0, "[0].m", 0);
	named(table, 88, "[1].m", 0);
	named(table, 92, "[1].m", 4); /* no way into a union */
	named(table, 88 + 48, "[1].k", 0);
	named(table, 88 + 44, "[1]", 44); /* between members */
	snprintf(own, sizeof(own), "{s@0:i4\"pthread_spinlock_t\" n@4:i4\"int\"}8\"struct own\"");
	named(own, 0, ".s", 0);
	named("{_M_mutex@0:i4\"pthread_spinlock_t\"}4\"class mutex\"", 0, "", 0);
	named("[0]i4\"int\"", 0, "", 0);
	named("{a@0:i4\"int\"", 0, "", 0);
}

/* Bytes changed, dropped or repeated: an answer, whatever it is. */
static void test_damage(void)
{
	static const char *const paths[] = {
		"", ".id", ".balance", ".t[1][2]", ".all[1].b", "[0]"
	};
	static const char other[] = "{}[]@: \"ifx09\x7f";
	struct strbuf why = { 0 };
	unsigned n = 0;

	srand(7);
	for (int round = 0; round < 20000; round++) {
		char text[sizeof(layout)];
		struct layout_type type;
		uint64_t offset;

		memcpy(text, layout, sizeof(text));
		for (int k = rand() % 3; k >= 0; k--)
			text[(size_t)rand() % (sizeof(text) - 1)] =
				other[(size_t)rand() % sizeof(other)];
		strbuf_clear(&why);
		offset = (uint64_t)rand() % 100;
		layout_text_name(text, &offset, &why);
		strbuf_clear(&why);
		n += layout_text_part(text, paths[rand() % 6], names, &offset, &type, &why) ==
		     ST_END;
	}
	TAP_OK(n > 1000, "damaged ones are told");
	strbuf_release(&why);
}

static void test_deep(void)
{
	struct strbuf deep = { 0 }, why = { 0 };
	struct layout_type type;
	uint64_t offset;

	for (int i = 0; i < 100000; i++)
		strbuf_adds(&deep, "[1]");
	strbuf_adds(&deep, "i4\"int\"");
	TAP_EQ(layout_text_part(strbuf_str(&deep), "", names, &offset, &type, &why), ST_END,
	       "too deep is no layout");
	strbuf_release(&deep);
	strbuf_release(&why);
}

int main(void)
{
	names = intern_new();
	found("", 0, LAYOUT_OTHER, 64, "struct s");
	found(".id", 0, LAYOUT_INT, 8, "long");
	found(".balance", 8, LAYOUT_INT, 4, "word_t");
	found(".limit", 12, LAYOUT_FLOAT, 4, "float");
	found(".t[1][2]", 26, LAYOUT_INT, 2, "short");
	found(".t[1]", 22, LAYOUT_OTHER, 6, "an array");
	found(".next", 32, LAYOUT_POINTER, 8, "struct s *");
	found(".c", 44, LAYOUT_INT, 1, "char");
	found(".all[1].a", 56, LAYOUT_INT, 4, "int");
	refused(".none", "no member 'none'");
	refused(".id.x", "no struct");
	refused(".id[0]", "no array");
	refused(".t[2][0]", "no element '[2]'");
	refused(".t[0][3]", "no element '[3]'");
	refused(".t[99999999999999999999]", "no element");
	refused(".flag", "bit field");
	test_names();
	test_damage();
	test_deep();
	intern_free(names);
	return tap_done();
}
