/// cmocka asks for these headers before its own.
#ifndef GMC_TEST_SUPPORT_CMOCKA_ALL_H
#define GMC_TEST_SUPPORT_CMOCKA_ALL_H

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#endif
