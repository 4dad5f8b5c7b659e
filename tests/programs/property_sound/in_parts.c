// Variables that are copied, cleared, and written in parts.
//spec shared int whole;
//spec shared uint16_t half;
//spec shared int pair.first;
//spec shared int pair.second;
//spec property parts: ptltl whole == 0 || whole == 0x01020304 || whole == 0x01020309;
//spec property swapped: ptltl half != 0x0201;
//spec property copied: ptltl pair.second == pair.first || pair.second == 0;
#include <pthread.h>
#include <stdint.h>
#include <string.h>

int whole;
uint16_t half;
struct pair {
	int first, second;
	long more[4];
} pair;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *fill(void *arg)
{
	const struct pair new = { .first = 5, .second = 5 };
	const int value = 0x01020304;

	pthread_mutex_lock(&m);
	memcpy(&whole, &value, sizeof(whole));
	*(volatile unsigned char *)&whole = 9;
	memcpy(&half, "\2\1", 2);
	pair = new;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *clear(void *arg)
{
	pthread_mutex_lock(&m);
	memset(&whole, 0, sizeof(whole));
	((volatile unsigned char *)&half)[0] = 0;
	((volatile unsigned char *)&half)[1] = 0;
	memset(&pair, 0, sizeof(pair));
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, fill, NULL);
	pthread_create(&t[1], NULL, clear, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
