/// Asserts for our own mistakes only, never for input (STYLE.md §5).
#ifndef GMC_ENGINE_BASE_CHECK_H
#define GMC_ENGINE_BASE_CHECK_H

#include <assert.h>

#if GMC_WITH_ASSERTS
#ifdef NDEBUG
#error "GMC_WITH_ASSERTS needs a build without NDEBUG"
#endif
#define GMC_ASSERT(claim) assert(claim)
#else
#define GMC_ASSERT(claim) ((void)sizeof(claim))
#endif

#endif
