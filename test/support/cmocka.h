/// cmocka.h with the headers that must stand before it, so that includes can be sorted.
#ifndef GMC_TEST_SUPPORT_CMOCKA_H
#define GMC_TEST_SUPPORT_CMOCKA_H

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#endif
