/*
 * Generated computations and how long their lattices take.
 *
 *	lattices [shape=free|sync|locks] [lanes=N] [points=N] [seed=N] [jobs=N] [count=1]
 *		 [configs=1] [promela=FILE]
 *
 * points: of each lane.  free: lanes know nothing of each other.  sync: every few points one needs
 * what another lane has just done.  locks: sections of three to five points under one of three
 * locks, in any order.  configs: each of four lanes writes a variable of its own now and then, and
 * a property watches them.
 *
 * promela: writes the same computation as a model for Spin instead, one process whose state is the
 * cut; what may come next are tables and expressions in C, which is the fastest way for its
 * verifier.
 *
 * Prints: cuts edges levels widest cpu-seconds wall-seconds bytes-of-two-levels runs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "lattice/lattice.h"
#include "monitor/config.h"
#include "monitor/monitor.h"
#include "spec/spec.h"

#define LANES 64
#define LOCKS 3
#define VARIABLES 4

struct made {
	uint32_t nneeds;
	struct point_need needs[1];
	uint32_t lock; /* held after it; 0: none */
	bool acquires, releases, writes;
};

static struct {
	const char *shape, *promela;
	uint32_t lanes, points, jobs, count, configs;
	uint64_t seed;
} opt = { .shape = "free", .lanes = 4, .points = 20, .jobs = 1, .seed = 1 };

static struct made *made[LANES];
static VEC(uint32_t) order; /* lanes, as observed */

static uint32_t number(uint32_t below)
{
	opt.seed = opt.seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(opt.seed >> 33) % below;
}

static bool shape_is(const char *name)
{
	return strcmp(opt.shape, name) == 0;
}

/* --- computations --- */

static void make_need(struct made *m, uint32_t lane, uint32_t at, const uint32_t *done)
{
	uint32_t other = number(opt.lanes);

	if (at % 4 == 3 && other != lane && done[other])
		m->needs[m->nneeds++] = (struct point_need){ other, done[other] };
}

/* How many points it has. */
static uint32_t make_section(uint32_t lane, uint32_t at)
{
	uint32_t n = 3 + number(3), lock = 1 + number(LOCKS);

	if (at + n > opt.points)
		return 1;
	for (uint32_t i = 0; i + 1 < n; i++)
		made[lane][at + i].lock = lock;
	made[lane][at].acquires = true;
	made[lane][at + n - 1].releases = true;
	return n;
}

/* The observed run goes from lane to lane; a section is not interrupted. */
static void make(void)
{
	uint32_t done[LANES] = { 0 };

	for (uint32_t i = 0; i < opt.lanes; i++) {
		made[i] = mem_zalloc(opt.points * sizeof(*made[i]));
		for (uint32_t k = 0; k < opt.points; k++)
			made[i][k].writes = i < VARIABLES && (k + i) % 3 == 0;
	}
	while (order.n < (size_t)opt.lanes * opt.points) {
		uint32_t lane = number(opt.lanes), n = 1;

		if (done[lane] == opt.points)
			continue;
		if (shape_is("sync"))
			make_need(&made[lane][done[lane]], lane, done[lane], done);
		if (shape_is("locks") && number(2))
			n = make_section(lane, done[lane]);
		for (; n > 0; n--) {
			done[lane]++;
			*VEC_PUSH(&order) = lane;
		}
	}
}

/* --- here --- */

static struct configs *make_configs(struct monitors *monitors)
{
	static const char text[] =
		"shared int a = 0; shared int b = 0;\n"
		"shared int c = 0; shared int d = 0;\n"
		"property p: ptltl start(a == 1) -> [b == 1 || c == 0, d == 7);\n";
	static const struct monitor_value initial[VARIABLES] = {
		{ 0, 15 }, { 0, 15 }, { 0, 15 }, { 0, 15 }
	};
	struct spec *spec;
	struct diag d = { 0 };

	if (spec_parse("bench", text, sizeof(text) - 1, &spec, &d) != ST_OK ||
	    monitors_new(spec, monitors, &d) != ST_OK) {
		fprintf(stderr, "lattices: %s\n", d.message);
		exit(2);
	}
	return configs_new(monitors, initial);
}

static void send(struct lattice *l)
{
	struct point_sink sink = lattice_sink(l);
	uint32_t done[LANES] = { 0 }, nsets = 0, open[LANES] = { 0 };

	for (size_t i = 0; i < order.n; i++) {
		uint32_t lane = order.at[i];
		const struct made *m = &made[lane][done[lane]++];
		struct watch_write write = {
			.variable = lane, .raw = done[lane] % 2, .mask = UINT32_MAX, .known = true
		};
		struct watch_item item = { .pos = i + 1,
					   .written = UINT64_C(1) << lane,
					   .nwrites = 1 };
		struct point p = { .pos = i + 1,
				   .lane = lane,
				   .needs = m->needs,
				   .nneeds = m->nneeds,
				   .starts = &open[lane],
				   .joins = &open[lane],
				   .nstarts = m->acquires,
				   .njoins = m->releases,
				   .item = opt.configs && m->writes ? &item : NULL,
				   .writes = &write };

		if (m->acquires) {
			open[lane] = nsets++;
			sink.set(sink.arg, open[lane], m->lock, POINT_OWN);
		}
		sink.point(sink.arg, &p);
		if (m->releases)
			sink.close(sink.arg, open[lane]);
	}
}

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void measure(void)
{
	struct monitors monitors = { 0 };
	struct lattice_options how = { .jobs = opt.jobs,
				       .count = opt.count != 0,
				       .budget = UINT64_MAX,
				       .configs = opt.configs ? make_configs(&monitors) : NULL };
	struct lattice *l = lattice_new(&how);
	struct lattice_counts c;
	struct strbuf runs = { 0 };
	double cpu = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);

	send(l);
	lattice_finish(l);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = now(CLOCK_MONOTONIC) - wall;
	lattice_counts(l, &c);
	if (c.truncated)
		fprintf(stderr, "lattices: %s\n", c.why);
	big_print(&c.runs, &runs);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %.4f %.4f %" PRIu64 " %s\n", c.cuts,
	       c.edges, c.levels, c.widest, cpu, wall, c.bytes,
	       c.counted ? strbuf_str(&runs) : "-");
	strbuf_release(&runs);
	lattice_counts_release(&c);
	lattice_free(l);
}

/* --- Spin --- */

static void write_table(FILE *f, uint32_t lane)
{
	for (uint32_t k = 0; k < opt.points; k++) {
		const struct made *m = &made[lane][k];

		fprintf(f, "\t\t{ %u, %u, {", m->acquires ? m->lock : 0,
			k ? made[lane][k - 1].lock : 0);
		for (uint32_t i = 0; i < opt.lanes; i++)
			fprintf(f, " %u,",
				m->nneeds && m->needs[0].lane == i ? m->needs[0].count : 0);
		fprintf(f, " } },\n");
	}
	fprintf(f, "\t\t{ 0, 0, { 0 } },\n");
}

static void write_tables(FILE *f)
{
	fprintf(f,
		"c_decl {\nstatic const struct { unsigned char takes, held; unsigned short needs[%u]; "
		"} points[%u][%u] = {\n",
		opt.lanes, opt.lanes, opt.points + 1);
	for (uint32_t i = 0; i < opt.lanes; i++) {
		fprintf(f, "\t{\n");
		write_table(f, i);
		fprintf(f, "\t},\n");
	}
	fprintf(f, "};\n}\n");
}

static void write_needs(FILE *f, uint32_t lane)
{
	for (uint32_t j = 0; j < opt.lanes; j++)
		if (j != lane)
			fprintf(f, " && now.pc[%u] >= points[%u][now.pc[%u]].needs[%u]", j, lane,
				lane, j);
}

/* The lock that the point takes, if any, is nobody's. */
static void write_free(FILE *f, uint32_t lane)
{
	fprintf(f, " && (!points[%u][now.pc[%u]].takes || (1", lane, lane);
	for (uint32_t j = 0; j < opt.lanes; j++)
		if (j != lane)
			fprintf(f,
				" && points[%u][now.pc[%u]].held != points[%u][now.pc[%u]].takes",
				j, j, lane, lane);
	fprintf(f, "))");
}

static void write_model(FILE *f)
{
	fprintf(f, "%s pc[%u];\n", opt.points < 256 ? "byte" : "short", opt.lanes);
	if (!shape_is("free"))
		write_tables(f);
	fprintf(f, "active proctype cut()\n{\n\tdo\n");
	for (uint32_t i = 0; i < opt.lanes; i++) {
		fprintf(f, "\t:: d_step { c_expr { now.pc[%u] < %u", i, opt.points);
		if (shape_is("sync"))
			write_needs(f, i);
		if (shape_is("locks"))
			write_free(f, i);
		fprintf(f, " } -> pc[%u]++ }\n", i);
	}
	fprintf(f, "\tod\n}\n");
}

/* --- options --- */

static bool number_option(const char *arg, const char *name, uint32_t *out)
{
	size_t n = strlen(name);

	if (strncmp(arg, name, n) != 0 || arg[n] != '=')
		return false;
	*out = (uint32_t)atoi(arg + n + 1);
	return true;
}

static bool take(const char *arg)
{
	uint32_t seed = 0;

	if (strncmp(arg, "shape=", 6) == 0)
		opt.shape = arg + 6;
	else if (strncmp(arg, "promela=", 8) == 0)
		opt.promela = arg + 8;
	else if (number_option(arg, "seed", &seed))
		opt.seed = seed;
	else
		return number_option(arg, "lanes", &opt.lanes) ||
		       number_option(arg, "points", &opt.points) ||
		       number_option(arg, "jobs", &opt.jobs) ||
		       number_option(arg, "count", &opt.count) ||
		       number_option(arg, "configs", &opt.configs);
	return true;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!take(argv[i]) || opt.lanes < 1 || opt.lanes > LANES) {
			fprintf(stderr, "lattices: what is '%s'?\n", argv[i]);
			return 2;
		}
	make();
	if (opt.promela) {
		FILE *f = fopen(opt.promela, "w");

		if (!f)
			return 2;
		write_model(f);
		return fclose(f) != 0;
	}
	measure();
	return 0;
}
