/* test_secrets.c - the secrets gate: what is refused, what passes, and that the message never holds the
 * secret. The secrets below are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "engram/plugin.h"
#include "scan.h"

/* Written in two parts so that no scanner takes this file for a leak. */
static const char *const secrets[] = {
    "key AKIA"
    "Q3EGRVJ7NK2LMPWD is used by the exporter",
    "export GITHUB_TOKEN=ghp_"
    "x9Kf2LmQ7rT4vB8nC1zW6yH3jD5sG0aPqE2u",
    "use github_pat_"
    "11BQ7RLTY0a9Kf2LmQ7rT4_vB8nC1zW6yH3jD5sG0aPqE2u for CI",
    "OPENAI_API_KEY is sk-"
    "q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5Np9Qs8Tu1",
    "xoxb-"
    "2048193751-4419283746501-aB3dE6gH9jK2mN5pQ8sT1vW4",
    "Bearer eyJhbGciOiJIUzI1NiJ9"
    ".eyJzdWIiOiI5OTgyNzMxIiwiaWF0IjoxfQ.q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5",
    "-----BEGIN RSA "
    "PRIVATE KEY-----\nMIIEowIBAAKCAQEAtq7q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5Np9Qs8Tu1\n",
    "DSN postgres://app:"
    "hT7-w2Qz@db.internal:5432/app",
    "redis://default:"
    "s3cr-9fK2@cache:6379",
    "the admin password is "
    "q7RtW92xLmZ4vB",
    "db_password = \""
    "Xk29fLq8Zr3Tn6Vw\"",
    "client_secret: "
    "a8f5f167f44f4964e6c998dee827110c",
};
static const char *const harmless[] = {
    "The service binds to 127.0.0.1:8080 and 10.0.12.7.",
    "Mail goes to ops@example.com and alice.b@corp.io.",
    "sha256 digest 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "Fixed in git commit 3f2504e04f8911d39a0c0305e82c3301aabbccdd.",
    "Request id 3f2504e0-4f89-41d3-9a0c-0305e82c3301.",
    "password = <token>",
    "export API_KEY=${VAULT_API_KEY}",
    "token: xxxxxxxxxxxxxxxx",
    "AKIAIOSFODNN7EXAMPLE is the documented example",
    "The token expires after 900 seconds and the password has 12 characters.",
    "STRIPE_SECRET_KEY is read from the environment.",
    "postgres://app@db:5432/app",
    "postgres://user:password@localhost/app",
    "postgres://app:${PGPASS}@db/app",
    "Tokens begin with ghp_ or github_pat_ and are refused.",
    "A JWT starts with eyJ and has three parts.",
    "Files that begin with -----BEGIN RSA PRIVATE KEY----- are refused by the hook.",
    "secret: projects/prod/secrets/db-main",
    "access_token = request.headers[\"X-Token\"]",
    "sk-short",
    "The secret is kept in vault/kv/payments/api_key_v2.",
    "token=Authorization2HeaderValue()",
    "git+https://github.com/a/b.git@v1.2.3",
    "http://[::1]:8080/x",
};

static void refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        secret_hit hit = {0};
        if (!secret_find(eg_str_of(secrets[i]), 0, &hit)) fail_msg("not found: %s", secrets[i]);
        assert_true(hit.start < hit.end && hit.end <= strlen(secrets[i]));
    }
}

static void passes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        secret_hit hit;
        if (secret_find(eg_str_of(harmless[i]), 0, &hit)) fail_msg("taken for %s: %s", hit.what, harmless[i]);
    }
}

const eg_plugin *eg_plugin_secrets(void);

struct eg_registrar {
    const eg_gate *gate;
};
static eg_status add_gate(eg_registrar *r, const eg_gate *gate, void *self) {
    (void)self;
    r->gate = gate;
    return EG_OK;
}

static void the_message_holds_no_secret(void **state) {
    (void)state;
    eg_services services = {.size = sizeof services, .add_gate = add_gate};
    struct eg_registrar registrar = {0};
    eg_error err = {0};
    void *self;
    const eg_plugin *p = eg_plugin_secrets();
    assert_int_equal(p->magic, EG_PLUGIN_MAGIC);
    assert_int_equal(p->open(&services, &registrar, &self, &err), EG_OK);
    eg_request rq = {.size = sizeof rq, .err = &err};
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        eg_commit_args args = EG_COMMIT_DEFAULTS;
        args.content = eg_str_of(secrets[i]);
        secret_hit hit;
        assert_true(secret_find(args.content, 0, &hit));
        assert_int_equal(registrar.gate->check(self, &services, &rq, &args), EG_EREFUSED);
        char secret[256] = {0};
        memcpy(secret, secrets[i] + hit.start, hit.end - hit.start < 12 ? hit.end - hit.start : 12);
        assert_null(strstr(err.text, secret));
        assert_non_null(strstr(err.text, hit.what));
    }
    eg_commit_args provenance = EG_COMMIT_DEFAULTS;
    provenance.content = EG_STR("harmless");
    provenance.provenance = eg_str_of(secrets[7]);
    assert_int_equal(registrar.gate->check(self, &services, &rq, &provenance), EG_EREFUSED);
    eg_commit_args good = EG_COMMIT_DEFAULTS;
    good.content = EG_STR("The API listens on 127.0.0.1:8080.");
    assert_int_equal(registrar.gate->check(self, &services, &rq, &good), EG_OK);
    p->close(self);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(passes),
                                       cmocka_unit_test(the_message_holds_no_secret)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
