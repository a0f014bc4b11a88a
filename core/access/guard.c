/* guard.c - roles against needs. See guard.h. */
#include "core/access/guard.h"

/* Each need is met by the role of the same number and by those above it. */
_Static_assert((int)EG_NEEDS_READ == (int)EG_ROLE_READER && (int)EG_NEEDS_WRITE == (int)EG_ROLE_WRITER &&
                   (int)EG_NEEDS_RESOLVE == (int)EG_ROLE_MAINTAINER && (int)EG_NEEDS_ADMIN == (int)EG_ROLE_ADMIN,
               "needs and roles are compared by number");

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
