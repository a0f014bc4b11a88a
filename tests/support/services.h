/* services.h - what every host offers its plugins: random ids, SHA-256 and arithmetic over vectors.
 * Nothing here needs kernels. A test adds what its plugin asks for besides: a clock, settings,
 * models. */
#ifndef EG_TEST_SERVICES_H
#define EG_TEST_SERVICES_H

#include "tests/support/registrar.h"

/* Services with host as their host, and with the functions of registrar.h. */
eg_services test_services(void *host);

eg_id test_id(void);

#endif
