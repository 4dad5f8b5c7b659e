/* Names of threads, asked for by several threads at once: one string each, which stays. */
#include "names/labels.h"

#include "unit/tap.h"

#define ASKING 4
#define NAMES 3000u

static struct labels labels;
static const char *got[ASKING][NAMES];

static void *ask(void *arg)
{
	const char **mine = arg;

	for (uint32_t i = 0; i < NAMES; i++)
		mine[i] = labels_thread(&labels, i);
	return NULL;
}

int main(void)
{
	pthread_t t[ASKING];
	unsigned other = 0, wrong = 0;
	char want[16];

	labels_init(&labels);
	for (int k = 0; k < ASKING; k++)
		pthread_create(&t[k], NULL, ask, got[k]);
	for (int k = 0; k < ASKING; k++)
		pthread_join(t[k], NULL);
	for (uint32_t i = 0; i < NAMES; i++) {
		snprintf(want, sizeof(want), "T%u", i);
		for (int k = 0; k < ASKING; k++) {
			other += got[k][i] != got[0][i];
			wrong += strcmp(got[k][i], want) != 0;
		}
	}
	TAP_EQ(other, 0, "the same string for all");
	TAP_EQ(wrong, 0, "and the right one");
	labels_release(&labels);
	return tap_done();
}
