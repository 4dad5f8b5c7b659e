/*
 * A landing that is approved over a radio which may be off by then.
 *
 * The controller looks at the radio, asks the tower, and lands if the answer is yes.  Another
 * thread looks after the radio, and switches it off after a while; nearly always the plane is
 * down by then.  What must not be: a landing that begins when the radio went off after the
 * approval, or was off already.  landing.spec says so.
 *
 * There is no data race here: the radio is atomic, the rest is the controller's own.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

atomic_int radio = 1;
int approved;
int landing;

static int ask_tower(void)
{
	return radio; /* whoever can be heard is welcome */
}

static void *controller(void *arg)
{
	approved = ask_tower();
	if (approved) {
		puts("landing approved");
		landing = 1;
		puts("landing started");
	} else {
		puts("landing not approved");
	}
	return arg;
}

static void *radio_watch(void *arg)
{
	usleep(200 * 1000); /* a sleep is no synchronisation */
	radio = 0;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, controller, NULL);
	pthread_create(&t[1], NULL, radio_watch, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
