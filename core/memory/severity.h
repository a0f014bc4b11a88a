/* severity.h - how grave a contradiction is: what breaks when somebody relies on the wrong one of
 * the two statements, and how sure it is that they contradict each other. Called by judge.c for
 * each contradiction that is found. Thread class: any. */
#ifndef EG_MEMORY_SEVERITY_H
#define EG_MEMORY_SEVERITY_H

#include "core/include/engram/plugin.h"

/* Sets finding->severity and says why behind finding->explanation, in the request's memory, for a
 * contradiction of the tiers of the tree ("tier0_entity" ... "tier2b_cross_scope"). A plugin's tier
 * keeps what its detector said. Where two typed values disagree, their kind decides (an amount in a
 * unit: limits; a version; a port: addresses), else the first class below that one of the two
 * statements has a word or such a value of:
 *
 *   security, data, money, limits, versions, addresses: high if sure, else medium;
 *   none of them: medium if sure, else low;
 *   style and naming, and none of the above: low.
 *
 * Sure is a score of at least 0.85. Two facts of one agent are at most medium: they may be a change
 * of mind that was not declared. EG_ENOMEM. */
eg_status eg_severity_decide(eg_request *rq, const eg_case *c, eg_finding *finding);

#endif
