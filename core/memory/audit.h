/* audit.h - the hash that chains the rows of the audit log. Core owns its layout, so that every
 * storage backend writes and checks the same chain; a backend reaches it as
 * services->audit_hash. */
#ifndef EG_MEMORY_AUDIT_H
#define EG_MEMORY_AUDIT_H

#include "core/include/engram/plugin.h"

/* The hash of a row that follows one with the hash `previous` (zeros before the first row). It
 * covers what row->layout says, never the payload itself but its hash: an erased payload leaves
 * the chain whole. EG_ENOMEM; EG_EFORMAT for a layout that this version does not know. Thread
 * class: any. */
eg_status eg_audit_hash(const eg_services *services, const uint8_t previous[32], const eg_audit_row *row, uint8_t out[32]);

#endif
