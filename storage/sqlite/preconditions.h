/* preconditions.h - what must hold for a change set to be written. */
#ifndef EG_SQLITE_PRECONDITIONS_H
#define EG_SQLITE_PRECONDITIONS_H

#include "writing.h"

/* 1 holds, 0 fails with failed_row set, -1 with the error record filled. */
int precondition_holds(writing *w, const eg_precondition *p);

#endif
