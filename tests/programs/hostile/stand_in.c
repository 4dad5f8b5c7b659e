/* What stands_in.c loads, twice: as seen and as unseen code, at the same place. */
__attribute__((section(".plug"), noinline)) void stand_in_fill(char *p, int n, int with)
{
	for (int i = 0; i < n; i++)
		p[i] = (char)with;
}

/* So that both end at the same place, too. */
__attribute__((section(".tail"))) int stand_in_tail = 1;
