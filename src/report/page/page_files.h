/* The source texts of the page, which the build embeds into the program: page.html, page.css, and the concatenated
 * scripts. */
#ifndef PT_REPORT_PAGE_FILES_H
#define PT_REPORT_PAGE_FILES_H

extern const char pt_page_html[], pt_page_style[], pt_page_script[];

#endif
