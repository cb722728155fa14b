/* The sources of the page, as the build puts them into the program: page.html, page.css, and the scripts one after the
 * other. */
#ifndef PT_REPORT_PAGE_FILES_H
#define PT_REPORT_PAGE_FILES_H

extern const char pt_page_html[], pt_page_style[], pt_page_script[];

#endif
