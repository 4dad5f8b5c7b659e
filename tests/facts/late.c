/* Values that decide something when a lock has been given back. */
int x, y, z, n;
char mutex, other;
int *pointer;
void sink(int);
int pthread_mutex_unlock(char *);

void look(void)
{
	int v = x; /* = read x late:eq:7/32 */

	pthread_mutex_unlock(&mutex);
	if (v == 7)
		sink(1);
}

int give(void)
{
	int v = x; /* = read x late */

	pthread_mutex_unlock(&mutex);
	return v;
}

int give_sum(void)
{
	int v = x; /* = read x late */
	int w;

	pthread_mutex_unlock(&mutex);
	w = y; /* = read y late */
	pthread_mutex_unlock(&other);
	return v + w;
}

void pass(void)
{
	int v = x; /* = read x late */

	pthread_mutex_unlock(&mutex);
	sink(v);
}

/* It decides under the lock. */
void too_early(void)
{
	int v = x; /* = read x binding */

	sink(v);
	pthread_mutex_unlock(&mutex);
	sink(v);
}

void one_way(int c)
{
	int v = x; /* = read x binding */

	if (c)
		pthread_mutex_unlock(&mutex);
	sink(v);
}

int both_ways(int c)
{
	int v = x; /* = read x late */

	if (c) {
		pthread_mutex_unlock(&mutex);
		sink(v);
		return 0;
	}
	pthread_mutex_unlock(&mutex);
	return v;
}

void through_pointer(void)
{
	int *p = pointer; /* = read pointer late */

	pthread_mutex_unlock(&mutex);
	*p = 1; /* = write *p unfed */
}

/* It decides again and again. */
void many_times(void)
{
	int v = n; /* = read n binding */

	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < v; i++)
		sink(i);
}

void in_a_loop(int k)
{
	for (int i = 0; i < k; i++) {
		int v = x; /* O0= read x late:ne:0/32 */ /* O2= read x late:eq:0/32 */

		pthread_mutex_unlock(&mutex);
		if (v)
			sink(i);
	}
}

void stores_it_too(void)
{
	int v = x; /* = read x late */

	y = v; /* = write y fed:-2 */
	pthread_mutex_unlock(&mutex);
	sink(v);
}
