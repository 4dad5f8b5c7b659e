/*
 * The stand-ins for libc's functions on memory and strings return what libc's return, and leave the
 * same bytes, whoever wrote them before.  The reference is libc on a second array.
 */
#include "capture/harness.h"
#include "capture/libc.h"

#pragma GCC diagnostic ignored "-Wrestrict" /* two parts of one array, and they do not meet */

#define SIZE 1024u
#define THREADS 40u /* more than a record can name */
#define ROUNDS 4000

static char *area, *model; /* of SIZE bytes */

struct call {
	size_t to, from, n; /* [from, from + n) ends in a NUL and does not meet [to, to + 2 n) */
	char c;
};

static int sign(int x)
{
	return (x > 0) - (x < 0);
}

static long place(const void *p, const char *base)
{
	return p == NULL ? -1 : (const char *)p - base;
}

/* Ours on area and libc's on model, as numbers that can be compared. */
#define PLACE(name) \
	*got = place(foresee_libc_##name(ARGS(area)), area), *want = place(name(ARGS(model)), model)

#define ARGS(base) base + k->to, base + k->from
static void pair(unsigned i, const struct call *k, long *got, long *want)
{
	switch (i) {
	case 0:
		PLACE(strcpy);
		break;
	case 1:
		PLACE(stpcpy);
		break;
	case 2:
		foresee_libc_strcpy(ARGS(area)), strcpy(ARGS(model)), PLACE(strcat);
		break;
	case 3:
		PLACE(strstr);
		break;
	case 4:
		PLACE(strpbrk);
		break;
	case 5:
		*got = (long)foresee_libc_strspn(ARGS(area)), *want = (long)strspn(ARGS(model));
		break;
	case 6:
		*got = (long)foresee_libc_strcspn(ARGS(area)), *want = (long)strcspn(ARGS(model));
		break;
	case 7:
		*got = sign(foresee_libc_strcmp(ARGS(area))), *want = sign(strcmp(ARGS(model)));
		break;
	case 8:
		*got = sign(foresee_libc_strcasecmp(ARGS(area)));
		*want = sign(strcasecmp(ARGS(model)));
		break;
	default:
		*got = (long)foresee_libc_strlen(area + k->from),
		*want = (long)strlen(model + k->from);
	}
}
#undef ARGS

#define ARGS(base) base + k->to, base + k->from, k->n
static void triple(unsigned i, const struct call *k, long *got, long *want)
{
	switch (i) {
	case 0:
		PLACE(memcpy);
		break;
	case 1:
		PLACE(memmove);
		break;
	case 2:
		PLACE(mempcpy);
		break;
	case 3:
		PLACE(strncpy);
		break;
	case 4:
		foresee_libc_strcpy(area + k->to, area + k->from);
		strcpy(model + k->to, model + k->from);
		PLACE(strncat);
		break;
	case 5:
		*got = sign(foresee_libc_memcmp(ARGS(area))), *want = sign(memcmp(ARGS(model)));
		break;
	case 6:
		*got = foresee_libc_bcmp(ARGS(area)) != 0, *want = bcmp(ARGS(model)) != 0;
		break;
	case 7:
		*got = sign(foresee_libc_strncmp(ARGS(area))), *want = sign(strncmp(ARGS(model)));
		break;
	case 8:
		*got = sign(foresee_libc_strncasecmp(ARGS(area)));
		*want = sign(strncasecmp(ARGS(model)));
		break;
	default:
		foresee_libc_bcopy(area + k->from, area + k->to, k->n);
		bcopy(model + k->from, model + k->to, k->n);
	}
}
#undef ARGS

#define ARGS(base) base + k->from, k->c
static void one(unsigned i, const struct call *k, long *got, long *want)
{
	switch (i) {
	case 0:
		PLACE(strchr);
		break;
	case 1:
		PLACE(strrchr);
		break;
	case 2:
		*got = place(foresee_libc_memchr(ARGS(area), k->n), area);
		*want = place(memchr(ARGS(model), k->n), model);
		break;
	case 3:
		*got = place(foresee_libc_memrchr(ARGS(area), k->n), area);
		*want = place(memrchr(ARGS(model), k->n), model);
		break;
	case 4:
		*got = (long)foresee_libc_strnlen(area + k->from, k->n);
		*want = (long)strnlen(model + k->from, k->n);
		break;
	case 5:
		*got = place(foresee_libc_memset(area + k->to, k->c, k->n), area);
		*want = place(memset(model + k->to, k->c, k->n), model);
		break;
	default:
		foresee_libc_bzero(area + k->to, k->n);
		bzero(model + k->to, k->n);
	}
}
#undef ARGS

static void letters(void *arg)
{
	struct call *k = arg;

	for (size_t i = k->from; i < k->from + k->n; i++) {
		char c = i + 1 == k->from + k->n ? '\0' : "aAbBcc"[capture_random(6)];

		foresee_write1(area + i, (uint8_t)c, 0);
		model[i] = c;
	}
}

static void any(void *arg)
{
	const struct call *k = arg;
	unsigned i = capture_random(27);
	long got = 0, want = 0;

	if (i < 10)
		pair(i, k, &got, &want);
	else if (i < 20)
		triple(i - 10, k, &got, &want);
	else
		one(i - 20, k, &got, &want);
	CAPTURE_CHECK(got == want, "function %u: %ld, not %ld", i, got, want);
	CAPTURE_CHECK(memcmp(area, model, SIZE) == 0, "function %u: other bytes", i);
}

static void strings(void)
{
	area = calloc(1, SIZE);
	model = calloc(1, SIZE);
	CAPTURE_CHECK(area != NULL && model != NULL, "no memory");
	crew_start(THREADS);
	for (int i = 0; i < ROUNDS; i++) {
		struct call k = { .n = 1 + capture_random(60), .c = "aAbBcd"[capture_random(6)] };
		struct call part = { .n = 1 + k.n / 3 };

		k.to = capture_random(SIZE / 2 - 200);
		k.from = SIZE / 2 + capture_random(SIZE / 2 - 80);
		if (capture_random(2) == 0) { /* the other way round */
			size_t was = k.to;

			k.to = k.from - 120;
			k.from = was % (SIZE / 2 - 300);
		}
		part.from = k.from;
		crew_do(capture_random(THREADS), letters, &k);
		if (capture_random(2) == 0) {
			crew_do(capture_random(THREADS), letters, &part);
		}
		part.from = k.to;
		crew_do(capture_random(THREADS), letters, &part);
		crew_do(capture_random(THREADS), any, &k);
	}
	crew_end();
}

static const struct capture_case cases[] = {
	{ .name = "strings", .run = strings },
	{ .name = "strings in small chunks", .run = strings, .cut = "4096" },
};

int main(int argc, char **argv)
{
	return CAPTURE_MAIN(argc, argv, cases);
}
