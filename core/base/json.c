/* json.c - see json.h. */
#include "core/base/json.h"
