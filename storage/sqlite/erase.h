/* erase.h - the change EG_CHANGE_ERASE: see storage.h. */
#ifndef EG_SQLITE_ERASE_H
#define EG_SQLITE_ERASE_H

#include "writing.h"

eg_status erase_facts(writing *w, const eg_change *change);

#endif
