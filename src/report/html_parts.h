/* What src/report/html/ holds; texts. */
#ifndef REPORT_HTML_PARTS_H
#define REPORT_HTML_PARTS_H

extern const char
	html_part_page[]; /* with @POLICY@, @STYLE@, @DATA@, @SCRIPT@ on lines of their own */
extern const char html_part_style[];
extern const char html_part_script[];

#endif /* REPORT_HTML_PARTS_H */
