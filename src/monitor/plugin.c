/*
 * Monitors out of shared objects (include/foresee_monitor.h).
 *
 * Between foresee and a plug-in lie names and copies: the variables and events that it wants are
 * looked up once; at each call it gets their values in its own order, and its state in a room with
 * guards on both sides:
 *
 *	guard (GUARD bytes) | state | guard
 *
 * A guard that has changed is the end of that monitor: UNKNOWN from there on, in every run.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <foresee_monitor.h>
#include <link.h>

#include "monitor/eval.h"
#include "monitor/monitor.h"

#define GUARD 256u /* a multiple of any alignment */
#define GUARD_BYTE 0xa5
#define MOST 64u /* names in a list; monitors in all */

/* A shared object, open as long as one of its monitors is there. */
struct library {
	void *handle;
	char *path;
	unsigned users;
	const struct foresee_monitor_table *table;
};

struct plugin {
	struct library *library;
	const struct foresee_monitor *monitor;
	const struct spec *spec;
	uint32_t variables[MOST], events[MOST]; /* numbers in the spec */
	uint32_t nvariables, nevents;
	struct foresee_value values[MOST]; /* of the call in hand */
	uint8_t *room;
	bool broken;
	struct strbuf trouble;
};

/* ---- libraries ---- */

/* The table, if what is called so is one. */
static enum status table_find(struct library *l, struct diag *d)
{
	const void *table = dlsym(l->handle, "foresee_monitors");
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (table == NULL)
		return diag_fail(d, ST_BAD_INPUT,
				 "'%s' is no plug-in: it has no table 'foresee_monitors'; see "
				 "<foresee_monitor.h>",
				 l->path);
	if (dladdr1(table, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0 || symbol == NULL ||
	    ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_size < sizeof(uint32_t))
		return diag_fail(
			d, ST_BAD_INPUT,
			"'%s' is no plug-in: its 'foresee_monitors' is no table; define it by "
			"FORESEE_MONITORS",
			l->path);
	l->table = table;
	if (l->table->abi != FORESEE_MONITOR_ABI)
		return diag_fail(
			d, ST_BAD_INPUT,
			"plug-in '%s' has interface %u, this foresee %u: build it again with "
			"the <foresee_monitor.h> of this version",
			l->path, l->table->abi, FORESEE_MONITOR_ABI);
	if (symbol->st_size < sizeof(*l->table) ||
	    l->table->monitor_size < sizeof(struct foresee_monitor) ||
	    l->table->monitor_size % _Alignof(struct foresee_monitor) != 0 ||
	    (l->table->count > 0 && l->table->monitors == NULL))
		return diag_fail(
			d, ST_BAD_INPUT,
			"plug-in '%s' has a table that is not as FORESEE_MONITORS makes it",
			l->path);
	return ST_OK;
}

static void library_leave(struct library *l)
{
	if (--l->users > 0)
		return;
	if (l->handle != NULL)
		dlclose(l->handle);
	mem_free(l->path);
	mem_free(l);
}

/* With one user: the caller. */
static enum status library_open(const char *path, struct library **out, struct diag *d)
{
	struct library *l = mem_zalloc(sizeof(*l));
	STRBUF_SCOPED name = { 0 };
	enum status st = ST_BAD_INPUT;

	/* A bare name would be looked for where the system has its libraries. */
	strbuf_addf(&name, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
	l->users = 1;
	l->path = mem_strdup(path);
	l->handle = dlopen(strbuf_str(&name), RTLD_NOW | RTLD_LOCAL);
	if (l->handle == NULL)
		diag_set(d, "cannot load plug-in '%s': %s", path, dlerror());
	else
		st = table_find(l, d);
	if (st == ST_OK)
		*out = l;
	else
		library_leave(l);
	return st;
}

/* ---- calls ---- */

static enum monitor_verdict complain(struct plugin *p, const char *what, const char *variable)
{
	strbuf_clear(&p->trouble);
	strbuf_addf(&p->trouble, "plug-in '%s', monitor '%s': %s", p->library->path,
		    p->monitor->name, what);
	if (variable != NULL)
		strbuf_addf(&p->trouble, " '%s'", variable);
	return MONITOR_UNKNOWN;
}

static bool guard_is_whole(const uint8_t *at)
{
	for (uint32_t i = 0; i < GUARD; i++)
		if (at[i] != GUARD_BYTE)
			return false;
	return true;
}

/* Values in the plug-in's order.  The variable that is not known and would have to be, or NULL. */
static const char *values_set(struct plugin *p, const struct monitor_value *values)
{
	const char *missing = NULL;

	for (uint32_t i = 0; i < p->nvariables; i++) {
		const struct spec_variable *v = &p->spec->variables[p->variables[i]];
		const struct monitor_value *from = &values[p->variables[i]];
		struct foresee_value *to = &p->values[i];
		struct spec_number n;

		*to = (struct foresee_value){ 0 };
		if (!eval_is_known(&v->type, from)) {
			missing = v->name;
			continue;
		}
		n = eval_number(&v->type, from->raw);
		to->known = 1;
		to->integer = n.is_float ? 0 : n.i;
		to->real = n.is_float ? n.f : n.is_big ? (double)(uint64_t)n.i : (double)n.i;
	}
	return p->monitor->flags & FORESEE_TAKES_UNKNOWN ? NULL : missing;
}

/* The set of those numbers[i] that are in `set', by i. */
static uint64_t renumber(const uint32_t *numbers, uint32_t n, uint64_t set)
{
	uint64_t out = 0;

	for (uint32_t i = 0; i < n; i++)
		out |= (set >> numbers[i] & 1) << i;
	return out;
}

static enum monitor_verdict answer(struct plugin *p, uint8_t *state)
{
	uint32_t size = p->monitor->state_size;
	int said = p->monitor->is_bad(p->room + GUARD);

	if (!guard_is_whole(p->room) || !guard_is_whole(p->room + GUARD + size)) {
		p->broken = true;
		return complain(p, "it wrote outside its state", NULL);
	}
	memcpy(state, p->room + GUARD, size);
	switch (said) {
	case FORESEE_GOOD:
		return MONITOR_GOOD;
	case FORESEE_BAD:
		return MONITOR_BAD;
	case FORESEE_ERROR:
		complain(p, "it says that it has no value", NULL);
		return MONITOR_ERROR;
	case FORESEE_UNKNOWN:
		return complain(p, "it says that it cannot tell", NULL);
	default:
		return complain(p, "is_bad gave an answer that is none", NULL);
	}
}

/* before NULL: the initial state. */
static enum monitor_verdict call(struct plugin *p, const uint8_t *before,
				 const struct monitor_input *in, uint8_t *after)
{
	struct foresee_input given = { .values = p->values, .thread = in->thread };
	uint32_t size = p->monitor->state_size;
	const char *missing = values_set(p, in->values);

	if (p->broken)
		return MONITOR_UNKNOWN; /* the trouble is told */
	if (missing != NULL)
		return complain(p, "nobody knows the value of", missing);
	given.events = renumber(p->events, p->nevents, in->events);
	given.written = renumber(p->variables, p->nvariables, in->written);
	memset(p->room, GUARD_BYTE, GUARD);
	memset(p->room + GUARD + size, GUARD_BYTE, GUARD);
	if (before != NULL) {
		memcpy(p->room + GUARD, before, size);
		p->monitor->step(&given, p->room + GUARD);
	} else {
		memset(p->room + GUARD, 0, size);
		p->monitor->initial(&given, p->room + GUARD);
	}
	return answer(p, after);
}

static enum monitor_verdict plugin_initial(void *self, const struct monitor_value *values,
					   uint8_t *state)
{
	return call(self, NULL, &(struct monitor_input){ .values = values }, state);
}

static enum monitor_verdict plugin_step(void *self, const uint8_t *before,
					const struct monitor_input *in, uint8_t *after)
{
	return call(self, before, in, after);
}

static void plugin_free(void *self)
{
	struct plugin *p = self;

	library_leave(p->library);
	MEM_FREE_ALL(p->room, p->trouble.at, p);
}

static void plugin_describe(const void *self, struct strbuf *out)
{
	const struct plugin *p = self;

	strbuf_addf(out, "plug-in, %u byte%s", p->monitor->state_size,
		    p->monitor->state_size == 1 ? "" : "s");
}

const struct foresee_monitor *monitor_plugin(const struct monitor *m)
{
	return m->step == plugin_step ? ((const struct plugin *)m->self)->monitor : NULL;
}

/* ---- loading ---- */

static enum status not_declared(const struct plugin *p, const char *name, bool event,
				struct diag *d)
{
	const char *where = p->spec != NULL ? "the spec" : "a spec, or the plug-in's declarations";

	return diag_fail(
		d, ST_BAD_INPUT,
		"plug-in '%s': monitor '%s' wants %s '%s', which is not declared: put '%s%s%s' into %s",
		p->library->path, p->monitor->name, event ? "event" : "variable", name,
		event ? "event " : "shared TYPE ", name, event ? " = ...;" : ";", where);
}

/* Numbers of the names in a list; *set: all of them. */
static enum status names_find(struct plugin *p, bool events, uint32_t *numbers, uint32_t *n,
			      uint64_t *set, struct diag *d)
{
	const char *const *names = events ? p->monitor->events : p->monitor->variables;

	for (; names != NULL && names[*n] != NULL; (*n)++) {
		const char *name = names[*n];
		int found = p->spec == NULL
				    ? -1
				    : spec_find(p->spec,
						events ? SPEC_USE_EVENT : SPEC_USE_VARIABLE, name);

		if (*n >= MOST)
			return diag_fail(d, ST_BAD_INPUT,
					 "plug-in '%s': monitor '%s' names more than %u %s",
					 p->library->path, p->monitor->name, MOST,
					 events ? "events" : "variables");
		if (found < 0)
			return not_declared(p, name, events, d);
		numbers[*n] = (uint32_t)found;
		*set |= UINT64_C(1) << found;
	}
	return ST_OK;
}

#define LONGEST_NAME 100

/* As properties of a spec are called: it must fit in reports and witness files. */
static bool name_is_good(const char *name)
{
	size_t n = name ? strlen(name) : 0;

	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return n > 0 && n <= LONGEST_NAME;
}

static enum status monitor_check(const struct monitors *all, const struct library *l,
				 const struct foresee_monitor *m, struct diag *d)
{
	if (!name_is_good(m->name) || m->initial == NULL || m->step == NULL || m->is_bad == NULL)
		return diag_fail(
			d, ST_BAD_INPUT,
			"plug-in '%s': a monitor must have a name of letters, digits and _, "
			"initial, step and is_bad",
			l->path);
	if (m->state_size > MONITOR_STATE)
		return diag_fail(
			d, ST_BAD_INPUT,
			"plug-in '%s': the state of monitor '%s' has %u bytes, and may have %u",
			l->path, m->name, m->state_size, MONITOR_STATE);
	for (uint32_t i = 0; i < all->n; i++) {
		if (strcmp(all->at[i].name, m->name) == 0)
			return diag_fail(d, ST_BAD_INPUT,
					 "plug-in '%s': there is a property '%s' already", l->path,
					 m->name);
	}
	if (all->n >= MOST)
		return diag_fail(d, ST_LIMIT, "plug-in '%s': no more than %u properties at once",
				 l->path, MOST);
	return ST_OK;
}

/* Adds one monitor of the library. */
static enum status monitor_add(struct monitors *all, struct library *l,
			       const struct foresee_monitor *m, struct diag *d)
{
	struct monitor out = { .name = m->name,
			       .size = m->state_size,
			       .initial = plugin_initial,
			       .step = plugin_step,
			       .free = plugin_free,
			       .describe = plugin_describe };
	struct plugin *p = mem_zalloc(sizeof(*p));
	enum status st;

	l->users++;
	*p = (struct plugin){ .library = l, .monitor = m, .spec = all->spec };
	st = monitor_check(all, l, m, d);
	if (st == ST_OK)
		st = names_find(p, false, p->variables, &p->nvariables, &out.writes, d);
	if (st == ST_OK)
		st = names_find(p, true, p->events, &p->nevents, &out.events, d);
	if (st != ST_OK) {
		plugin_free(p);
		return st;
	}
	if (all->spec != NULL) {
		out.events |= all->spec->relevant_events;
		out.writes |= all->spec->relevant_variables;
		out.reads |= all->spec->relevant_variables;
	}
	p->room = mem_alloc(m->state_size + 2 * GUARD);
	out.self = p;
	out.trouble = &p->trouble;
	all->at = mem_resize(all->at, (all->n + 1) * sizeof(*all->at));
	all->at[all->n++] = out;
	return ST_OK;
}

enum status monitors_load(struct monitors *m, const char *path, struct diag *d)
{
	struct library *l;
	enum status st = library_open(path, &l, d);

	if (st != ST_OK)
		return st;
	for (uint32_t i = 0; i < l->table->count && st == ST_OK; i++)
		st = monitor_add(m, l,
				 (const void *)((const char *)l->table->monitors +
						(size_t)i * l->table->monitor_size),
				 d);
	library_leave(l);
	return st;
}

enum status monitors_declared(const char *const *paths, size_t n, struct spec **out, struct diag *d)
{
	STRBUF_SCOPED text = { 0 };
	enum status st = ST_OK;

	for (size_t i = 0; i < n && st == ST_OK; i++) {
		struct library *l;
		const char *said;

		st = library_open(paths[i], &l, d);
		if (st != ST_OK)
			break;
		said = l->table->declarations;
		if (said != NULL && strstr(strbuf_str(&text), said) == NULL) {
			strbuf_adds(&text, said);
			strbuf_adds(&text, "\n");
		}
		library_leave(l);
	}
	if (st == ST_OK)
		st = spec_parse(n == 1 ? paths[0] : "plug-ins", strbuf_str(&text), text.n, out, d);
	return st;
}

enum status monitors_read(const char *path, const char *const *plugins, size_t n,
			  struct spec **spec, struct monitors *out, struct diag *d)
{
	enum status st = ST_OK;

	if (!*spec && path)
		st = spec_read(path, spec, d);
	else if (!*spec && n > 0)
		st = monitors_declared(plugins, n, spec, d);
	if (st == ST_OK && *spec)
		st = monitors_new(*spec, out, d);
	for (size_t i = 0; st == ST_OK && i < n; i++)
		st = monitors_load(out, plugins[i], d);
	return st;
}
