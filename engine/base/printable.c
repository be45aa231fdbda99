#include "engine/base/printable.h"

#include <string.h>

int gmc_printable_character(const char *text, unsigned *code)
{
    const unsigned char *u = (const unsigned char *)text;
    int length = u[0] < 0x80 ? 1 : u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : u[0] >= 0xc2 ? 2 : 0;
    if (length == 0 || u[0] > 0xf4) return 0;
    unsigned value = length == 1 ? u[0] : u[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if ((u[i] & 0xc0) != 0x80) return 0; // also at the end of the text
        value = value << 6 | (u[i] & 0x3fu);
    }
    if ((length == 3 && value < 0x800) || (length == 4 && value < 0x10000)) return 0;
    if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff) return 0;
    *code = value;
    return length;
}

bool gmc_printable_acts(unsigned code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

int gmc_printable_next(const char *text, char shown[GMC_PRINTABLE_ROOM], int *used)
{
    unsigned code = 0;
    int length = gmc_printable_character(text, &code);
    *used = length > 0 ? length : 1;
    if (length > 0 && !gmc_printable_acts(code)) {
        memcpy(shown, text, (size_t)length);
        shown[length] = 0;
        return 1;
    }
    for (int i = 0; i < *used; i++)
        snprintf(shown + (size_t)i * 4, 5, "\\x%02X", (unsigned char)text[i]);
    return 4 * *used;
}

const char *gmc_printable_text(const char *text, char *shown, size_t room)
{
    char one[GMC_PRINTABLE_ROOM];
    int used = 0;
    size_t filled = 0;
    shown[0] = 0;
    for (const char *p = text; p && *p; p += used) {
        gmc_printable_next(p, one, &used);
        size_t bytes = strlen(one);
        if (filled + bytes + 1 > room) break;
        memcpy(shown + filled, one, bytes + 1);
        filled += bytes;
    }
    return shown;
}
