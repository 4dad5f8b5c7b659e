/*
 * Plug-ins: tests/programs/monitors/plugin.c, compiled here in its various kinds.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "monitor/config.h"
#include "unit/spec_trees.h"
#include "unit/tap.h"

static char dir[] = "/tmp/foresee-plugin.XXXXXX";

/* Where it is; the source tree is two above this file. */
static const char *build(const char *kind)
{
	static char path[256];
	struct strbuf command = { 0 };
	int root = (int)(strstr(__FILE__, "tests/unit/") - __FILE__);

	snprintf(path, sizeof(path), "%s/%s.so", dir, kind);
	strbuf_addf(&command, "gcc -shared -fPIC -g -I'%.*sinclude' -D%s -o %s", root, __FILE__,
		    kind, path);
	strbuf_addf(&command, " '%.*stests/programs/monitors/plugin.c'", root, __FILE__);
	if (access(path, R_OK) != 0 && system(strbuf_str(&command)) != 0) /* NOLINT: a compiler */
		printf("# cannot build %s\n", kind);
	strbuf_release(&command);
	return path;
}

struct bench {
	struct spec *spec;
	struct monitors m;
	struct configs *c;
	uint32_t at;
	uint64_t key;
	struct diag d;
};

/* x0 == 1, x1 == 2, as the plug-in itself declares. */
static bool bench_init(struct bench *b, const char *kind)
{
	static const struct monitor_value initial[] = { { 1, 15 }, { 2, 15 } };
	const char *path = build(kind);

	memset(b, 0, sizeof(*b));
	if (monitors_declared(&path, 1, &b->spec, &b->d) != ST_OK)
		return false;
	if (monitors_new(b->spec, &b->m, &b->d) != ST_OK ||
	    monitors_load(&b->m, path, &b->d) != ST_OK)
		return false;
	b->c = configs_new(&b->m, initial);
	b->at = config_initial(b->c);
	return true;
}

static void bench_release(struct bench *b)
{
	configs_free(b->c);
	monitors_release(&b->m);
	spec_free(b->spec);
}

static void step_event(struct bench *b, uint32_t event, uint32_t thread)
{
	struct watch_item it = { .events = UINT64_C(1) << event, .thread = thread };

	b->at = config_step(b->c, b->at, &it, NULL, b->key++, 0);
}

static void step_write(struct bench *b, uint32_t variable, uint64_t raw, bool known)
{
	struct watch_write w = { variable, raw, 0xffffffff, known };
	struct watch_item it = { .written = UINT64_C(1) << variable, .nwrites = 1, .thread = 1 };

	b->at = config_step(b->c, b->at, &it, &w, b->key++, 0);
}

static void test_good(void)
{
	struct strbuf text = { 0 };
	struct bench b;
	uint32_t middle;

	if (!TAP_OK(bench_init(&b, "SUM"), "a plug-in alone, with its own declarations"))
		printf("# %s\n", b.d.message);
	TAP_EQ(b.m.n, 1, "one monitor");
	TAP_STR(b.m.at[0].name, "sum", "by its name");
	b.m.at[0].describe(b.m.at[0].self, &text);
	TAP_STR(strbuf_str(&text), "plug-in, 29 bytes", "described");
	strbuf_release(&text);
	TAP_EQ(config_bad(b.c, b.at) | config_error(b.c, b.at) | config_unknown(b.c, b.at), 0,
	       "good at first");
	step_write(&b, 0, 0, true);
	middle = b.at;
	step_write(&b, 1, 3, true);
	step_event(&b, 1, 1);
	TAP_EQ(config_bad(b.c, b.at), 0, "the sum is the same when asked");
	b.at = middle;
	step_event(&b, 1, 1);
	TAP_EQ(config_bad(b.c, b.at), 1, "from the state in between it is not");
	b.at = middle;
	step_event(&b, 0, 2);
	TAP_EQ(config_error(b.c, b.at), 1, "an error of its own");
	TAP_OK(strstr(configs_trouble(b.c, 0), "no value") != NULL, "says why");
	b.at = middle;
	step_event(&b, 0, 3);
	TAP_EQ(config_unknown(b.c, b.at), 1, "unknown");
	b.at = middle;
	step_event(&b, 0, 9);
	TAP_EQ(config_unknown(b.c, b.at), 1, "an answer that is none");
	b.at = middle;
	step_write(&b, 0, 0, false);
	TAP_EQ(config_unknown(b.c, b.at), 1, "a value that is not known");
	TAP_OK(strstr(configs_trouble(b.c, 0), "nobody knows the value of 'x0'") != NULL,
	       "says which");
	bench_release(&b);

	bench_init(&b, "TAKES");
	step_write(&b, 1, 5, false);
	TAP_EQ(config_bad(b.c, b.at), 1, "given to a monitor that takes it");
	bench_release(&b);

	bench_init(&b, "REALS");
	step_write(&b, 1, (uint32_t)-5, true);
	TAP_EQ(config_bad(b.c, b.at), 0, "integers are given as doubles too");
	bench_release(&b);
}

static void test_guards(void)
{
	static const char *const kinds[] = { "BEHIND", "BEFORE" };
	struct bench b;

	for (unsigned i = 0; i < 2; i++) {
		bench_init(&b, kinds[i]);
		step_write(&b, 0, 0, true);
		TAP_EQ(config_unknown(b.c, b.at), 0, "%s: one good step", kinds[i]);
		step_write(&b, 0, 0, true);
		TAP_EQ(config_unknown(b.c, b.at), 1, "then it is caught");
		TAP_OK(strstr(configs_trouble(b.c, 0), "wrote outside its state") != NULL,
		       "says why");
		b.at = config_initial(b.c);
		step_write(&b, 0, 5, true);
		TAP_EQ(config_unknown(b.c, b.at), 1, "and not called again");
		bench_release(&b);
	}
	bench_init(&b, "EARLY");
	TAP_EQ(config_unknown(b.c, b.at), 1, "caught in initial");
	bench_release(&b);
}

static void refused(const char *kind, const char *why)
{
	struct bench b;
	bool loaded = bench_init(&b, kind);

	TAP_OK(!loaded && strstr(b.d.message, why) != NULL, "%s is refused: %s", kind, why);
	if (loaded || strstr(b.d.message, why) == NULL)
		printf("# %s\n", b.d.message);
	bench_release(&b);
}

static void test_refused(void)
{
	struct diag d = { 0 };
	struct monitors m = { 0 };

	refused("NONE", "has no table 'foresee_monitors'");
	refused("FUNCTION", "'foresee_monitors' is no table");
	refused("OTHER_ABI", "has interface 99, this foresee 1: build it again");
	refused("STRANGE",
		"wants variable 'nobody', which is not declared: put 'shared TYPE nobody;'");
	refused("STRANGE_EVENT", "wants event 'never', which is not declared: put 'event never = ");
	refused("LARGE", "has 4097 bytes, and may have 4096");
	refused("HOLLOW", "must have a name of letters");
	refused("TWICE", "there is a property 'sum' already");
	refused("BAD_WORDS", ".so:1:");
	TAP_EQ(monitors_load(&m, "/nowhere/at/all.so", &d), ST_BAD_INPUT,
	       "a file that is not there");
	TAP_OK(strstr(d.message, "cannot load plug-in '/nowhere/at/all.so'") != NULL, "says so");
	diag_clear(&d);
	TAP_EQ(monitors_load(&m, __FILE__, &d), ST_BAD_INPUT, "a file that is no library");
	TAP_OK(strstr(d.message, "cannot load plug-in") != NULL, "says so");
	diag_clear(&d);
	TAP_EQ(monitors_load(&m, build("SUM"), &d), ST_BAD_INPUT, "names, and no spec");
	TAP_OK(strstr(d.message, "or the plug-in's declarations") != NULL,
	       "says where to put them");
	monitors_release(&m);
}

/* What two say in the same words is declared once. */
static void test_two(void)
{
	char first[256];
	const char *paths[2] = { first };
	struct spec *s = NULL;
	struct monitors m = { 0 };
	struct diag d = { 0 };

	snprintf(first, sizeof(first), "%s", build("SUM"));
	paths[1] = build("TAKES");
	TAP_EQ(monitors_declared(paths, 2, &s, &d), ST_OK, "two plug-ins with the same words");
	TAP_EQ(s != NULL ? s->nvariables : 0, 2, "each variable once");
	TAP_EQ(monitors_new(s, &m, &d), ST_OK, "no properties");
	TAP_EQ(monitors_load(&m, paths[0], &d), ST_OK, "the first");
	TAP_EQ(monitors_load(&m, paths[1], &d), ST_BAD_INPUT, "the second has the same name");
	TAP_EQ(m.n, 1, "and is not there");
	monitors_release(&m);
	spec_free(s);
}

int main(void)
{
	char command[64];
	int failed;

	if (mkdtemp(dir) == NULL) {
		printf("1..0 # SKIP no directory\n");
		return 77;
	}
	test_good();
	test_guards();
	test_refused();
	test_two();
	snprintf(command, sizeof(command), "rm -r %s", dir);
	failed = system(command); /* NOLINT: a directory of ours */
	TAP_EQ(failed, 0, "tidied up");
	return tap_done();
}
