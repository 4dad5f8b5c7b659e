#include "report/columns.h"

#define BETWEEN 8 /* blanks between two columns, room for the arrow */
#define CLOSER 3  /* ... where a table beside them needs the room, and there are no arrows */

static bool is_start(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* A text as characters, not bytes: what a reader counts.  0 of NULL. */
static int characters_width(const char *s)
{
	int n = 0;

	for (; s && *s; s++)
		n += is_start(*s);
	return n;
}

/* The first n characters of s. */
static void characters_add_first(struct strbuf *out, const char *s, int n)
{
	for (; *s && (n > 0 || !is_start(*s)); s++) {
		n -= is_start(*s);
		strbuf_add(out, s, 1);
	}
}

void columns_release(struct columns *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		mem_free(c->heads[i]);
	for (size_t i = 0; i < c->rows.n; i++) {
		for (uint32_t k = 0; k < COLUMNS_MAX; k++)
			mem_free(c->rows.at[i].entries[k]);
		MEM_FREE_ALL(c->rows.at[i].note, c->rows.at[i].brief);
	}
	VEC_RELEASE(&c->rows);
	mem_free(c->side);
	*c = (struct columns){ 0 };
}

/* What stays when an entry is cut: all from its last two blanks on. */
static const char *tail(const char *s)
{
	const char *last = s + strlen(s);

	for (const char *p = s; (p = strstr(p, "  ")) != NULL; p++)
		last = p;
	return last;
}

/* The entry, cut to a width with a mark; returns its width. */
static int add_entry(struct strbuf *out, const char *s, int most)
{
	int n = characters_width(s), end;

	if (!s)
		return 0;
	if (n <= most) {
		strbuf_adds(out, s);
		return n;
	}
	end = characters_width(tail(s));
	if (end > most / 2)
		end = 0;
	characters_add_first(out, s, most - end - 2);
	strbuf_adds(out, "..");
	strbuf_adds(out, end ? tail(s) : "");
	return most;
}

/* ---- rows ---- */

void columns_head(struct columns *c, const char *text)
{
	assert(c->n < COLUMNS_MAX);
	c->heads[c->n++] = mem_strdup(text);
}

struct columns_row *columns_blank(struct columns *c)
{
	*VEC_PUSH(&c->rows) = (struct columns_row){ 0 };
	return &c->rows.at[c->rows.n - 1];
}

void columns_event(struct columns *c, uint64_t number, uint32_t column, const char *text)
{
	struct columns_row *r = columns_blank(c);

	assert(column < c->n);
	r->numbers[0] = number;
	r->entries[column] = mem_strdup(text);
}

void columns_stuck(struct columns *c, uint64_t number, uint32_t column, const char *text,
		   const char *note)
{
	columns_event(c, number, column, text);
	columns_note(c, note, NULL);
	c->rows.at[c->rows.n - 1].stuck = true;
}

void columns_note(struct columns *c, const char *note, const char *brief)
{
	struct columns_row *r = &c->rows.at[c->rows.n - 1];

	assert(c->rows.n > 0 && !r->note && !r->brief);
	r->note = note ? mem_strdup(note) : NULL;
	r->brief = brief ? mem_strdup(brief) : NULL;
}

void columns_gap(struct columns *c, const uint64_t counts[COLUMNS_MAX], uint64_t others)
{
	struct columns_row *r = columns_blank(c);
	char text[80];

	r->gap = others;
	for (uint32_t i = 0; i < c->n; i++) {
		if (counts[i] == 0)
			continue;
		r->gap += counts[i];
		snprintf(text, sizeof(text), "... %" PRIu64 " event%s", counts[i],
			 counts[i] == 1 ? "" : "s");
		r->entries[i] = mem_strdup(text);
	}
	if (others == 0)
		return;
	snprintf(text, sizeof(text), "... %" PRIu64 " event%s of other threads", others,
		 others == 1 ? "" : "s");
	r->note = mem_strdup(text);
}

void columns_pair(struct columns *c, const uint64_t numbers[2], const uint32_t columns[2],
		  const char *const texts[2], const char *note)
{
	struct columns_row *r = columns_blank(c);
	int first = columns[0] > columns[1];

	assert(columns[0] != columns[1] && columns[0] < c->n && columns[1] < c->n);
	for (int i = 0; i < 2; i++)
		r->entries[columns[i]] = mem_strdup(texts[i]);
	r->left = columns[first];
	r->right = columns[!first];
	r->numbers[0] = numbers[first];
	r->numbers[1] = numbers[!first];
	r->note = note ? mem_strdup(note) : NULL;
}

/* ---- the picture ---- */

struct widths {
	int indent, numbers, between, all, columns[COLUMNS_MAX];
	int head, entry, notes; /* the widest; notes: of the table that they make */
	bool side;		/* the table of notes has room */
};

static void numbers_format(const struct columns_row *r, struct strbuf *out)
{
	if (r->numbers[0])
		strbuf_addf(out, "%" PRIu64, r->numbers[0]);
	if (r->numbers[1])
		strbuf_addf(out, ", %" PRIu64, r->numbers[1]);
}

/* Where the columns end. */
static int end_of(const struct columns *c, const struct widths *w)
{
	int n = w->indent + w->numbers + 2 + (int)(c->n - 1) * w->between;

	for (uint32_t k = 0; k < c->n; k++)
		n += w->columns[k];
	return n;
}

/* Takes a character from the widest column; false: all fits, or nothing can be done. */
static bool narrow(const struct columns *c, struct widths *w)
{
	uint32_t widest = 0;

	for (uint32_t k = 1; k < c->n; k++)
		if (w->columns[k] > w->columns[widest])
			widest = k;
	if (w->columns[widest] <= COLUMNS_NARROWEST ||
	    (w->columns[widest] <= COLUMNS_WIDEST && end_of(c, w) <= w->all))
		return false;
	w->columns[widest]--;
	return true;
}

static void widen(int *width, const char *text)
{
	int n = characters_width(text);

	*width = n > *width ? n : *width;
}

/* With nothing cut; but no entry counts for more than it is shown of. */
static void measure(const struct columns *c, int indent, struct widths *out)
{
	STRBUF_SCOPED b = { 0 };

	*out = (struct widths){ .indent = indent,
				.between = c->side ? CLOSER : BETWEEN,
				.notes = characters_width(c->side) };
	for (uint32_t k = 0; k < c->n; k++) {
		widen(&out->columns[k], c->heads[k]);
		widen(&out->head, c->heads[k]);
	}
	for (size_t i = 0; i < c->rows.n; i++) {
		const struct columns_row *r = &c->rows.at[i];

		strbuf_clear(&b);
		numbers_format(r, &b);
		if ((int)b.n > out->numbers)
			out->numbers = (int)b.n;
		for (uint32_t k = 0; k < c->n; k++) {
			widen(&out->columns[k], r->entries[k]);
			widen(&out->entry, r->entries[k]);
		}
		if (c->side)
			widen(&out->notes, r->note);
	}
	if (out->entry > COLUMNS_WIDEST)
		out->entry = COLUMNS_WIDEST;
}

/* Columns that fit into `all' characters, if they can. */
static void fit(const struct columns *c, int all, struct widths *w)
{
	w->all = all;
	while (narrow(c, w))
		;
}

static void fill(struct strbuf *out, char what, int n)
{
	for (; n > 0; n--)
		strbuf_add(out, &what, 1);
}

/* What stands between column k and the next one. */
static void between(const struct widths *w, const struct columns_row *r, uint32_t k,
		    struct strbuf *out)
{
	bool inside = r->right > 0 && k >= r->left && k < r->right;

	if (!inside)
		fill(out, ' ', w->between);
	else if (r->right - r->left == 1)
		strbuf_adds(out, "  <-->  ");
	else
		strbuf_adds(out, k == r->left	     ? "  <-----"
				 : k + 1 == r->right ? "----->  "
						     : "--------");
}

static void entries_format(const struct columns *c, const struct widths *w,
			   char *const entries[COLUMNS_MAX], const struct columns_row *r,
			   struct strbuf *out)
{
	for (uint32_t k = 0; k < c->n; k++) {
		bool crossed = r->right > 0 && k > r->left && k < r->right;
		int n = add_entry(out, entries[k], w->columns[k]);

		fill(out, crossed ? '-' : ' ', w->columns[k] - n);
		if (k + 1 < c->n)
			between(w, r, k, out);
	}
}

/* No blanks at the end of a line. */
static void end_line(struct strbuf *out)
{
	while (out->n > 0 && out->at[out->n - 1] == ' ')
		out->at[--out->n] = '\0';
	strbuf_adds(out, "\n");
}

/* Beside the row, or below it where there is no room. */
static void note_format(const struct columns *c, const struct widths *w, const char *note,
			struct strbuf *out)
{
	if (end_of(c, w) + 4 + characters_width(note) <= w->all) {
		strbuf_addf(out, "    %s", note);
		return;
	}
	end_line(out);
	strbuf_addf(out, "%*s%s", w->indent + w->numbers + 2, "", note);
}

static const char *note_of(const struct columns *c, const struct widths *w,
			   const struct columns_row *r)
{
	return c->side && !w->side ? r->brief : r->note;
}

static bool is_blank(const struct columns *c, const struct columns_row *r)
{
	for (uint32_t k = 0; k < c->n; k++)
		if (r->entries[k])
			return false;
	return true;
}

static void beside_format(const struct columns *c, const struct widths *w, struct strbuf *out)
{
	static const struct columns_row plain;
	STRBUF_SCOPED number = { 0 };

	fill(out, ' ', w->indent + w->numbers + 2);
	entries_format(c, w, c->heads, &plain, out);
	if (w->side)
		strbuf_addf(out, "    %s", c->side);
	end_line(out);
	for (size_t i = 0; i < c->rows.n; i++) {
		const struct columns_row *r = &c->rows.at[i];

		strbuf_clear(&number);
		numbers_format(r, &number);
		strbuf_addf(out, "%*s%*s  ", w->indent, "", w->numbers, strbuf_str(&number));
		if (is_blank(c, r) && !w->side) {
			strbuf_adds(out, note_of(c, w, r) ? note_of(c, w, r) : "");
			end_line(out);
			continue;
		}
		entries_format(c, w, r->entries, r, out);
		if (w->side && r->note)
			strbuf_addf(out, "    %s", r->note);
		else if (note_of(c, w, r))
			note_format(c, w, note_of(c, w, r), out);
		end_line(out);
	}
}

/* ---- the list ---- */

/* The entries of a row, one a line: two for a pair; behind the last, from column `side' on, the note. */
static void lines_format(const struct columns *c, const struct columns_row *r,
			 const struct widths *w, int side, struct strbuf *out)
{
	size_t start = out->n;
	int nth = 0;

	for (uint32_t k = 0; k < c->n; k++) {
		if (!r->entries[k])
			continue;
		if (nth > 0)
			end_line(out);
		start = out->n;
		strbuf_addf(out, "%*s%*" PRIu64 "  ", w->indent, "", w->numbers, r->numbers[nth]);
		strbuf_adds(out, c->heads[k]);
		fill(out, ' ', w->head - characters_width(c->heads[k]) + 2);
		add_entry(out, r->entries[k], COLUMNS_WIDEST);
		nth += nth == 0;
	}
	if (side && r->note) {
		fill(out, ' ', side - characters_width(out->n > start ? out->at + start : ""));
		strbuf_adds(out, r->note);
		end_line(out);
		return;
	}
	if (nth == 0)
		fill(out, ' ', w->indent + w->numbers);
	if (note_of(c, w, r))
		strbuf_addf(out, "%s%s", nth ? "    " : "  ", note_of(c, w, r));
	end_line(out);
}

/* Where the table begins in a list. */
static int list_side(const struct widths *w)
{
	return w->indent + w->numbers + 2 + w->head + 2 + w->entry + 4;
}

static void list_format(const struct columns *c, const struct widths *w, struct strbuf *out)
{
	int side = list_side(w);

	if (!c->side || side + w->notes > w->all)
		side = 0;
	if (side) {
		fill(out, ' ', side);
		strbuf_adds(out, c->side);
		end_line(out);
	}
	for (size_t i = 0; i < c->rows.n; i++) {
		const struct columns_row *r = &c->rows.at[i];

		if (r->gap == 0) {
			lines_format(c, r, w, side, out);
			continue;
		}
		fill(out, ' ', w->indent + w->numbers + 2);
		strbuf_addf(out, "... %" PRIu64 " event%s\n", r->gap, r->gap == 1 ? "" : "s");
	}
}

/* Two columns can always be cut to fit; and what a thread waits for is read beside its line. */
static bool is_crowded(const struct columns *c, const struct widths *w)
{
	int end = end_of(c, w);
	bool crowded = end > w->all;

	for (size_t i = 0; i < c->rows.n && !crowded; i++)
		crowded = c->rows.at[i].stuck &&
			  end + 4 + characters_width(c->rows.at[i].note) > w->all;
	return crowded && c->n > 2;
}

/* ---- with a table ---- */

static bool is_cut(const struct columns *c, const struct widths *w)
{
	for (size_t i = 0; i < c->rows.n; i++)
		for (uint32_t k = 0; k < c->n; k++)
			if (characters_width(c->rows.at[i].entries[k]) > w->columns[k] &&
			    w->columns[k] < COLUMNS_WIDEST)
				return true;
	return false;
}

/* Columns with no entry cut; table: they leave room for the notes beside them. */
static bool has_room(const struct columns *c, int indent, int all, bool table, struct widths *out)
{
	int room;

	measure(c, indent, out);
	room = all - (table ? out->notes + 4 : 0);
	fit(c, room, out);
	out->all = all;
	return end_of(c, out) <= room && !is_cut(c, out);
}

enum columns_room columns_room(const struct columns *c, int indent, int all)
{
	struct widths w;

	if (has_room(c, indent, all, true, &w))
		return COLUMNS_BESIDE;
	return list_side(&w) + w.notes <= all ? COLUMNS_LIST : COLUMNS_NONE;
}

void columns_format(const struct columns *c, int indent, int all, struct strbuf *out)
{
	enum columns_room room = c->side ? columns_room(c, indent, all) : COLUMNS_NONE;
	struct widths w;
	bool fits = has_room(c, indent, all, room == COLUMNS_BESIDE, &w);

	if (!c->side)
		fits = !is_crowded(c, &w);
	w.side = room == COLUMNS_BESIDE;
	if (fits && room != COLUMNS_LIST)
		beside_format(c, &w, out);
	else
		list_format(c, &w, out);
}
