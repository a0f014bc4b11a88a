/* guard.c - roles against needs. See guard.h. */
#include "core/access/guard.h"

eg_status eg_guard(eg_request *rq, uint32_t need, const char *what) {
    static const char *const roles[] = {"none", "reader", "writer", "maintainer", "admin"};
    const eg_principal *who = rq->who;
    if (need <= who->role && who->role <= EG_ROLE_ADMIN) return EG_OK;
    if (need > EG_NEEDS_ADMIN) return eg_request_fail(rq, EG_EAUTH, "%s has an unknown need %u: nobody may call it", what, need);
    eg_str name = who->member.len ? who->member : who->agent;
    return eg_request_fail(rq, EG_EAUTH, "%s needs the role %s; '%.*s' has the role %s: ask an admin of the workspace", what,
                           roles[need], (int)(name.len < 80 ? name.len : 80), name.ptr,
                           who->role <= EG_ROLE_ADMIN ? roles[who->role] : "none");
}
