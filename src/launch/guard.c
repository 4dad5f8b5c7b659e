#include "launch/guard.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/launch.h"
#include "monitor/mttl.h"
#include "monitor/reading.h"
#include "names/symbols.h"
#include "names/variables.h"
#include "trace/trace.h"

/* ---- what the program says of itself ---- */

static enum status describe(const struct guard_order *g, const char *trace, struct diag *d)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct launch l = { .path = g->path,
			    .argv = g->argv,
			    .trace = trace,
			    .options = "describe\n",
			    .quiet = true,
			    .in = null,
			    .out = null,
			    .err = null };
	struct launch_end end = { 0 };
	enum status st = null < 0
				 ? diag_fail(d, ST_IO, "cannot open /dev/null: %s", strerror(errno))
				 : launch_program(&l, &end, d);

	if (null >= 0)
		close(null);
	if (st == ST_OK && end.status != 0)
		return diag_fail(d, ST_IO,
				 "'%s' does not come as far as main: it ends with status %d before",
				 g->path, end.status);
	return st;
}

/* ---- functions ---- */

struct elf_image {
	const char *at;
	size_t n;
};

static const void *elf_part(const struct elf_image *m, uint64_t from, uint64_t n)
{
	return from <= m->n && n <= m->n - from ? m->at + from : NULL;
}

/* The symbol of that name in one table; NULL: there is none. */
static const Elf64_Sym *symbol_in(const struct elf_image *m, const Elf64_Shdr *heads,
				  unsigned count, const Elf64_Shdr *table, const char *name)
{
	const Elf64_Sym *all = elf_part(m, table->sh_offset, table->sh_size);
	const Elf64_Shdr *s = table->sh_link < count ? &heads[table->sh_link] : NULL;
	const char *words = s ? elf_part(m, s->sh_offset, s->sh_size) : NULL;

	for (size_t i = 0; all && words && i < table->sh_size / sizeof(*all); i++) {
		uint64_t at = all[i].st_name;

		if (at < s->sh_size && strnlen(words + at, s->sh_size - at) < s->sh_size - at &&
		    strcmp(words + at, name) == 0 && all[i].st_shndx != SHN_UNDEF)
			return &all[i];
	}
	return NULL;
}

static const Elf64_Sym *symbol_find(const struct elf_image *m, const char *name)
{
	const Elf64_Ehdr *head = elf_part(m, 0, sizeof(*head));
	const Elf64_Shdr *heads =
		head ? elf_part(m, head->e_shoff, (uint64_t)head->e_shnum * sizeof(*heads)) : NULL;
	const Elf64_Sym *found = NULL;

	for (unsigned i = 0; heads && !found && i < head->e_shnum; i++)
		if (heads[i].sh_type == SHT_SYMTAB || heads[i].sh_type == SHT_DYNSYM)
			found = symbol_in(m, heads, head->e_shnum, &heads[i], name);
	return found;
}

static enum status handler_check(const struct guard_order *g, const struct spec_property *y,
				 uint64_t address, struct diag *d)
{
	struct symbols *s = symbols_new(g->path, NULL, 0);
	unsigned n;
	bool good = symbols_may_take(s, address, "foresee_violation", &n);

	symbols_free(s);
	if (good)
		return ST_OK;
	return spec_complain(g->spec, y->action_spot, d,
			     "'%s' of the program takes %s: a handler is 'void %s(const struct "
			     "foresee_violation *v)'",
			     y->handler, n > 1 ? "more than one argument" : "another argument",
			     y->handler);
}

static enum status handler_find(const struct guard_order *g, const struct elf_image *m,
				const struct spec_property *y, struct know_property *out,
				struct diag *d)
{
	const Elf64_Sym *entry = symbol_find(m, "main"), *s = symbol_find(m, y->handler);

	if (!entry)
		return diag_fail(
			d, ST_BAD_INPUT,
			"'%s' has no symbol table, by which handlers are found: do not strip it",
			g->path);
	if (!s)
		return spec_complain(
			g->spec, y->action_spot, d,
			"the program has no function '%s': is it 'static', and never called?",
			y->handler);
	if (ELF64_ST_TYPE(s->st_info) != STT_FUNC)
		return spec_complain(g->spec, y->action_spot, d,
				     "'%s' of the program is no function", y->handler);
	out->value = (int64_t)(s->st_value - entry->st_value);
	return handler_check(g, y, s->st_value, d);
}

static enum status handlers_find(const struct guard_order *g, struct know_program *p,
				 struct diag *d)
{
	struct know_property *all = (struct know_property *)know_properties(p);
	struct elf_image m = { 0 };
	enum status st = ST_OK;
	struct stat info;
	int fd = open(g->path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0) {
		m.n = (size_t)info.st_size;
		m.at = mmap(NULL, m.n, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	for (uint32_t i = 0; st == ST_OK && i < p->nproperties; i++)
		if (all[i].action == KNOW_DO_CALL) {
			if (m.at == NULL || m.at == MAP_FAILED)
				st = diag_fail(d, ST_IO, "cannot read '%s'", g->path);
			else
				st = handler_find(g, &m, mttl_property(g->spec, i), &all[i], d);
		}
	if (m.at && m.at != MAP_FAILED)
		munmap((void *)m.at, m.n);
	if (fd >= 0)
		close(fd);
	return st;
}

/* ---- variables ---- */

static uint32_t string_add(struct strbuf *b, const char *text)
{
	struct know_program *p = (struct know_program *)b->at;
	uint32_t at = (uint32_t)(b->n - p->strings);

	strbuf_add(b, text, strlen(text) + 1);
	return at;
}

/* The program's variable that holds these bytes. */
static bool global_around(struct trace *t, uint64_t from, uint64_t to, struct program_global *out)
{
	for (size_t i = 0; i < variables_count(t); i++)
		if (variables_get(t, i, out) && out->name && from >= out->addr &&
		    to <= out->addr + out->size)
			return true;
	return false;
}

static enum status place_bind(const struct guard_order *g, struct trace *t, struct strbuf *b,
			      uint32_t number, const struct watch_place *w, struct diag *d)
{
	struct know_variable *v =
		(struct know_variable *)know_variables((struct know_program *)b->at) + number;
	struct program_global around;
	uint32_t name;

	if (!global_around(t, w->from, w->to, &around))
		return diag_fail(
			d, ST_BAD_INPUT,
			"%s: '%s' is no variable of a file that was built with foresee-cc: a "
			"guard cannot watch it",
			g->spec->path, know_string((struct know_program *)b->at, v->name));
	name = string_add(b, around.name);
	v = (struct know_variable *)know_variables((struct know_program *)b->at) + number;
	v->global = name;
	v->offset = w->from - around.addr;
	v->extent = around.size;
	if (!v->is_lock)
		v->size = v->size && w->variable >= 0 ? v->size : (uint32_t)(w->to - w->from);
	else
		v->size = (uint32_t)(w->to - w->from);
	return ST_OK;
}

static uint32_t shared_number(const struct spec *s, uint32_t variable)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < variable; i++)
		n += !s->variables[i].local;
	return n;
}

static enum status places_bind(const struct guard_order *g, const struct reading *r,
			       struct strbuf *b, struct diag *d)
{
	struct watch_place w;
	enum status st = ST_OK;

	for (size_t i = 0; st == ST_OK && watch_place(r->watch, i, &w); i++) {
		const struct know_event *events = know_events((struct know_program *)b->at);

		if (w.variable >= 0) {
			st = place_bind(g, r->trace, b,
					shared_number(g->spec, (uint32_t)w.variable), &w, d);
			continue;
		}
		for (uint64_t left = w.events; st == ST_OK && left; left &= left - 1) {
			events = know_events((struct know_program *)b->at);
			st = place_bind(g, r->trace, b,
					(uint32_t)events[__builtin_ctzll(left)].object, &w, d);
		}
	}
	return st;
}

/* What no place was found for comes to lie somewhere as the program runs (FORESEE_VARIABLE). */
static enum status all_found(const struct guard_order *g, const struct know_program *p,
			     struct diag *d)
{
	for (uint32_t i = 0; i < p->nplaces; i++)
		if (know_variables(p)[i].global == KNOW_UNBOUND)
			return diag_fail(
				d, ST_BAD_INPUT,
				"%s: '%s' has no fixed place in the program: a guard watches "
				"global and static variables",
				g->spec->path, know_string(p, know_variables(p)[i].name));
	return ST_OK;
}

static enum status any_check(const struct guard_order *g, struct diag *d)
{
	const struct spec *s = g->spec;

	for (uint32_t i = 0; i < s->nevents; i++)
		if (s->events[i].op == SPEC_ANY ||
		    (s->events[i].op <= SPEC_WRITE && s->events[i].nargs == 0))
			return spec_complain(
				s, s->events[i].spot, d,
				"event '%s' is every access: a guard would have to stop at "
				"each of them; name a variable",
				s->events[i].name);
	return ST_OK;
}

/* ---- all ---- */

static void notes(const struct guard_order *g, const struct reading *r)
{
	const char *const *note;
	size_t n = g->quiet ? 0 : watch_notes(r->watch, &note);

	for (size_t i = 0; i < n; i++)
		if (!strstr(note[i], "recording") && !strstr(note[i], "record"))
			talk_note("%s", note[i]);
	if (!g->quiet && g->spec->flow_all)
		talk_note(
			"'flow all': every access of memory carries knowledge, so each is stopped at; "
			"programs get many times slower");
}

/* What the runtime says of itself in the trace, if it could not say what is in the program; or d stays as it is. */
static enum status explain(const struct guard_order *g, const char *path, enum status st,
			   struct diag *d)
{
	struct diag own = { 0 };
	struct trace *t = NULL;
	struct event e;

	if (trace_open(path, &(struct trace_options){ 0 }, &t, &own) != ST_OK)
		return st;
	while (trace_next(t, &e, &own) == ST_OK)
		;
	if (variables_count(t) == 0 && trace_info(t).nnotes) {
		*d = (struct diag){ 0 };
		st = diag_fail(d, ST_IO, "cannot look at '%s': %s", g->path,
			       trace_info(t).notes[0]);
	}
	trace_close(t);
	return st;
}

static enum status bind(const struct guard_order *g, struct strbuf *b, struct diag *d)
{
	const char *tmp = getenv("TMPDIR");
	STRBUF_SCOPED trace = { 0 };
	struct reading r = { 0 };
	enum status st;

	strbuf_addf(&trace, "%s/foresee-guard-%ld.foresee", tmp && *tmp == '/' ? tmp : "/tmp",
		    (long)getpid());
	unlink(strbuf_str(&trace));
	st = describe(g, strbuf_str(&trace), d);
	if (st == ST_OK)
		st = reading_open(&r, strbuf_str(&trace), &(struct trace_options){ 0 }, g->spec, d);
	if (st != ST_OK)
		st = explain(g, strbuf_str(&trace), st, d);
	if (st == ST_OK)
		st = places_bind(g, &r, b, d);
	if (st == ST_OK)
		st = all_found(g, (struct know_program *)b->at, d);
	if (st == ST_OK)
		notes(g, &r);
	reading_close(&r);
	unlink(strbuf_str(&trace));
	((struct know_program *)b->at)->bytes = b->n;
	return st;
}

static enum status start(const struct guard_order *g, const struct strbuf *b, struct diag *d)
{
	char options[80], pid[32];
	int fd = memfd_create("foresee guard", 0);

	if (fd < 0 || write(fd, b->at, b->n) != (ssize_t)b->n)
		return diag_fail(d, ST_IO, "cannot keep what was made of the spec: %s",
				 strerror(errno));
	snprintf(options, sizeof(options), "guard=/proc/self/fd/%d\n%s", fd,
		 g->all ? "guard-all\n" : "");
	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	setenv("FORESEE_OPTIONS", options, 1);
	setenv("FORESEE_PID", pid, 1);
	unsetenv("FORESEE_TRACE");
	unsetenv("FORESEE_GUARD");
	/* The runtime has called us (FORESEE_GUARD), and says how the program was called. */
	if (getenv("FORESEE_CALLED")) {
		g->argv[0] = mem_strdup(getenv("FORESEE_CALLED"));
		unsetenv("FORESEE_CALLED");
	}
	fflush(NULL);
	execv(g->path, g->argv);
	return diag_fail(d, ST_IO, "cannot run '%s': %s", g->path, strerror(errno));
}

enum status guard_become(const struct guard_order *g, struct diag *d)
{
	struct know_program *p = NULL;
	struct strbuf all = { 0 };
	enum status st = ST_OK;

	if (mttl_count(g->spec) == 0)
		st = diag_fail(
			d, ST_BAD_INPUT,
			"nothing to guard: '%s' has no mttl property; others are for 'check'",
			g->spec->path);
	if (st == ST_OK)
		st = any_check(g, d);
	if (st == ST_OK)
		st = mttl_compile(g->spec, &p, d);
	if (st == ST_OK)
		st = handlers_find(g, p, d);
	if (st == ST_OK)
		strbuf_add(&all, (const char *)p, p->bytes);
	if (st == ST_OK)
		st = bind(g, &all, d);
	if (st == ST_OK)
		st = start(g, &all, d);
	mem_free(p);
	strbuf_release(&all);
	return st;
}
