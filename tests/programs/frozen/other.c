/* Of another unit. */
#ifdef TABLE
extern int *table[];
#endif

void other_set(int *p)
{
	*p = 6;
}

void other_set_table(void)
{
#ifdef TABLE
	*table[0] = 6;
#endif
}

int main(void);

void other_main(void)
{
	main();
}
