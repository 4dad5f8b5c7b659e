#include "names/images.h"

#include <pthread.h>

#include "base/wire.h"
#include "names/symbols.h"
#include "trace/format.h"

#define BUILD_ID_MOST 64u
#define INLINED_MOST 16u

struct code {
	uint32_t image; /* index in images + 1; 0 none */
	uint64_t address;
	bool call;  /* its accesses are those of a function that is called there */
	bool known; /* site is filled in */
	struct trace_site site;
};

struct images {
	pthread_mutex_t lock; /* guards all that is found out later: sites, text, symbols */
	struct intern *text;
	struct map numbers; /* of the file, to index in images */
	VEC(struct images_file) images;
	struct map files; /* path and build id, as text, to index in symbols */
	VEC(struct symbols *) symbols;
	struct map code_at; /* site, to index in codes */
	VEC(struct code) codes;
	VEC(struct trace_site) inlined; /* site IMAGES_SITES + i */
};

struct images *images_new(void)
{
	struct images *im = mem_zalloc(sizeof(*im));

	pthread_mutex_init(&im->lock, NULL);
	im->text = intern_new();
	return im;
}

void images_free(struct images *im)
{
	for (size_t i = 0; i < im->symbols.n; i++)
		symbols_free(im->symbols.at[i]);
	VEC_RELEASE_ALL(&im->symbols, &im->images, &im->codes, &im->inlined);
	MAP_RELEASE_ALL(&im->files, &im->numbers, &im->code_at);
	intern_free(im->text);
	pthread_mutex_destroy(&im->lock);
	mem_free(im);
}

static const char *keep(struct images *im, const char *s, size_t n)
{
	return intern_str(im->text, intern_add(im->text, s, n));
}

/* ---- records ---- */

/* A library that is loaded again and again is one file. */
static struct symbols *symbols_of(struct images *im, const char *path, const uint8_t *id,
				  size_t nid)
{
	struct strbuf key = { 0 };
	struct symbols *s;
	uint64_t *index;
	bool fresh;

	strbuf_add(&key, path, strlen(path) + 1);
	strbuf_add(&key, id, nid);
	index = map_put(&im->files, intern_add(im->text, key.at, key.n), &fresh);
	strbuf_release(&key);
	if (fresh) {
		*index = im->symbols.n;
		s = symbols_new(path, id, nid);
		*VEC_PUSH(&im->symbols) = s;
	}
	return im->symbols.at[*index];
}

void images_take(struct images *im, struct wire *w)
{
	uint32_t number = wire_u32(w);
	struct images_file i = { 0 };
	const uint8_t *id, *path;
	const char *whole, *slash;
	size_t nid, n;

	i.bias = wire_varint(w);
	i.low = wire_varint(w);
	i.high = wire_varint(w);
	nid = wire_varint(w);
	if (nid > BUILD_ID_MOST || i.low > i.high)
		wire_fail(w);
	id = wire_bytes(w, nid);
	n = wire_left(w);
	path = wire_bytes(w, n);
	if (w->bad)
		return;
	whole = keep(im, (const char *)path, strnlen((const char *)path, n));
	slash = strrchr(whole, '/');
	i.name = slash ? slash + 1 : whole;
	i.symbols = symbols_of(im, whole, id, nid);
	*map_put(&im->numbers, number, NULL) = im->images.n;
	*VEC_PUSH(&im->images) = i;
}

void images_take_code(struct images *im, struct wire *w, uint32_t most, uint32_t *site)
{
	struct code c = { 0 };
	uint64_t *index;
	bool fresh;

	*site = wire_u32(w);
	index = map_get(&im->numbers, wire_u32(w));
	c.image = index ? (uint32_t)*index + 1 : 0;
	c.address = wire_varint(w);
	c.call = wire_left(w) > 0 && wire_varint(w) == FORMAT_CODE_CALL;
	if (*site == 0 || *site >= most)
		wire_fail(w);
	if (w->bad)
		return;
	index = map_put(&im->code_at, *site, &fresh);
	if (!fresh)
		return; /* damage: the first one stands */
	*index = im->codes.n;
	*VEC_PUSH(&im->codes) = c;
}

/* ---- code ---- */

/* By name and offset: all that is known without debug information. */
static const char *outline(struct images *im, const struct images_file *i, uint64_t address)
{
	struct strbuf b = { 0 };
	uint64_t offset;
	const char *s;

	/* A return address: it may be that of the next function. */
	s = i ? symbols_function(i->symbols, address - 1, &offset) : NULL;
	if (s)
		strbuf_addf(&b, "%s!%s+0x%" PRIx64, i->name, s, offset + 1);
	else
		strbuf_addf(&b, "%s%s0x%" PRIx64, i ? i->name : "", i ? "+" : "", address);
	s = keep(im, b.at, b.n);
	strbuf_release(&b);
	return s;
}

static void code_find(struct images *im, struct code *c)
{
	const struct images_file *i = c->image ? &im->images.at[c->image - 1] : NULL;
	struct trace_site frames[INLINED_MOST];
	size_t n = i ? symbols_code(i->symbols, c->address - 1, frames, INLINED_MOST) : 0;

	c->known = true;
	if (n > 0)
		c->site = frames[0];
	c->site.call = c->call;
	c->site.gcc = i && symbols_by_gcc(i->symbols, c->address - 1);
	if (!c->site.function)
		c->site.function = outline(im, i, c->address);
	for (size_t k = n; k-- > 1;) {
		frames[k].inlined = k + 1 < n ? IMAGES_SITES + (uint32_t)im->inlined.n - 1 : 0;
		*VEC_PUSH(&im->inlined) = frames[k];
	}
	if (n > 1)
		c->site.inlined = IMAGES_SITES + (uint32_t)im->inlined.n - 1;
}

bool images_site(struct images *im, uint32_t site, struct trace_site *out)
{
	uint64_t *index;
	bool known = true;

	pthread_mutex_lock(&im->lock);
	if (site >= IMAGES_SITES) {
		known = site - IMAGES_SITES < im->inlined.n;
		if (known)
			*out = im->inlined.at[site - IMAGES_SITES];
	} else {
		index = map_get(&im->code_at, site);
		known = index != NULL;
		if (known && !im->codes.at[*index].known)
			code_find(im, &im->codes.at[*index]);
		if (known)
			*out = im->codes.at[*index].site;
	}
	pthread_mutex_unlock(&im->lock);
	return known;
}

/* ---- data ---- */

const struct images_file *images_get(const struct images *im, size_t i)
{
	return i < im->images.n ? &im->images.at[i] : NULL;
}

const struct images_file *images_find(const struct images *im, uint64_t addr)
{
	for (size_t i = im->images.n; i-- > 0;)
		if (addr >= im->images.at[i].low && addr < im->images.at[i].high)
			return &im->images.at[i];
	return NULL;
}

/* The name that an address has in an image. */
static void name_in(struct images *im, const struct images_file *i, uint64_t addr,
		    struct strbuf *out)
{
	const char *name;
	uint64_t offset;

	pthread_mutex_lock(&im->lock);
	name = symbols_variable(i->symbols, addr - i->bias, &offset);
	pthread_mutex_unlock(&im->lock);
	if (!name)
		strbuf_addf(out, "%s+0x%" PRIx64, i->name, addr - i->bias);
	else if (offset)
		strbuf_addf(out, "%s+%" PRIu64, name, offset);
	else
		strbuf_adds(out, name);
}

#define NAMES_MOST 4u

/*
 * One library may have been loaded in the place of another, and the caller does not say when in the
 * run it means.  So the address gets the names of both.
 */
bool images_name(struct images *im, uint64_t addr, struct strbuf *out)
{
	const struct symbols *told[NAMES_MOST];
	unsigned n = 0;

	for (size_t i = 0; i < im->images.n; i++) {
		const struct images_file *image = &im->images.at[i];
		bool again = addr < image->low || addr >= image->high;

		for (unsigned k = 0; k < n && !again; k++)
			again = told[k] == image->symbols;
		if (again)
			continue;
		if (n == NAMES_MOST) {
			strbuf_adds(out, " or others");
			break;
		}
		told[n++] = image->symbols;
		if (n > 1)
			strbuf_adds(out, " or ");
		name_in(im, image, addr, out);
	}
	return n != 0;
}
