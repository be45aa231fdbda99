/// scenarios/FORMAT.md: the prose of scenarios/format.md.in with the tables in it.
#ifndef GMC_TEST_SUPPORT_FORMAT_PAGE_H
#define GMC_TEST_SUPPORT_FORMAT_PAGE_H

/// Put the tables of the language where the template has "@distributions@" and the like, each on a
/// line of its own. Fails the test where it names another one.
/// @return the whole page; the caller frees it
char *gmc_format_page(const char *format);

#endif
