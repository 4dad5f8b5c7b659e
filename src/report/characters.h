/* Texts as characters, not bytes: what a reader counts. */
#ifndef REPORT_CHARACTERS_H
#define REPORT_CHARACTERS_H

struct strbuf;

/* 0 of NULL. */
int characters_width(const char *s);
/* The first n characters of s. */
void characters_add_first(struct strbuf *out, const char *s, int n);

#endif /* REPORT_CHARACTERS_H */
