/* figures.h - the operation figures of eg_memory_ops: a memory in numbers. */
#ifndef EG_MEMORY_FIGURES_H
#define EG_MEMORY_FIGURES_H

#include "core/memory/state.h"

eg_status eg_memory_figures(eg_memory *m, eg_request *rq, eg_figure **out, size_t *n);

#endif
