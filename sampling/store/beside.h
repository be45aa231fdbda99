/// Files under a name of their own beside the output that they become: OUT.tmp.PID of a result,
/// OUT.part.PID of a text. Whoever writes one holds a shared lock on it; what a killed process left
/// behind nobody holds, and the next one that writes the same output removes it.
#ifndef GMC_SAMPLING_STORE_BESIDE_H
#define GMC_SAMPLING_STORE_BESIDE_H

#include <stdbool.h>

typedef enum gmc_lock_result {
    GMC_LOCK_TAKEN,   ///< ours until the file is closed
    GMC_LOCK_BUSY,    ///< another process (or another open file of this one) holds it
    GMC_LOCK_MISSING, ///< this file system has no locks; nothing protects the output
    GMC_LOCK_FAILED   ///< errno says why
} gmc_lock_result;

/// Try to lock, without waiting.
gmc_lock_result gmc_beside_lock(int file);

/// Hold it together with others who share it: against gmc_beside_lock alone. Copies of the
/// descriptor made by dup hold it too. Silent where that cannot be had.
void gmc_beside_lock_share(int file);

/// Does another process hold it? Asks by a shared lock that is given back at once, for a file
/// opened to read; where there are no locks the answer is no.
bool gmc_beside_is_locked(int file);

/// "OUT.tmp.PID" of this process for path OUT and mark "tmp"; NULL without memory; to be freed.
char *gmc_beside_name(const char *path, const char *mark);

/// Tell others that it is being written, until the result and every copy of it are closed.
/// @param file  of which the copy is made
/// @return a copy of the descriptor, to be closed when the file is in place; -1: none to be had
int gmc_beside_hold(int file);

/// File in a folder OUT.MARK.PID that says that it is one, and is held as long as it is written.
#define GMC_BESIDE_HELD ".graspmc-part"

/// Remove what killed processes left of this output: regular files of exactly such a name which
/// nobody holds and whose process is not alive on this machine. On a file system without locks
/// nothing is removed, for processes of other machines cannot be seen there. What cannot be removed
/// harms nobody.
/// @param are_folders  the same of folders: those of exactly such a name with a file
///                     GMC_BESIDE_HELD
///                     of which all that holds for files above does. No link in them is followed
void gmc_beside_clean(const char *path, const char *mark, bool are_folders);

#endif
