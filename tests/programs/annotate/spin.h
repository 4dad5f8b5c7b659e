/* Locks and two mailboxes that the recorder does not see: spin.c is not built with foresee-cc. */
#ifndef SPIN_H
#define SPIN_H

struct spin {
	int taken; /* -1: by a writer, else readers */
};

int spin_try(struct spin *s); /* 1: taken */
void spin_take(struct spin *s);
void spin_give(struct spin *s);
void spin_share(struct spin *s);
void spin_unshare(struct spin *s);

void box_put(int box, void *letter);
void *box_get(int box);

#endif
