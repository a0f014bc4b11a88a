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
    "The AWS secret access key for CI is "
    "TAIjvFu7WICPhDeOZIiBOB+Y6sHrFH2ZUCr+lgot.",
    "GitLab: glpat-"
    "kpFCiRcDCajhDieQjEJ_",
    "sk_test_"
    "51KyEa8wtWy2591AIVVIZM5oForBFbyvQRZzUk1D6",
    "Alerts go to https://hooks.slack.com/services/"
    "TRUPFR2P3YV/BB5UL5NWQVR/4MS4rJaH8mfpUAFJWpSE",
    "client secret GOCSPX-"
    "bqJfgLq_nbK894RxgG9oiZ_jgttM",
    "pypi-AgE"
    "IcHlwaS5vcmckuEwjua058LeDKK6jDHz2oCtIsjhvNK4p7MZI-4kf3PGdlDcIfw84",
    "hf_"
    "gCgHDaUjAPjeEYqvNSzPfvRIyuOTWFIcNe",
    "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey="
    "JCJqyqLWAmVdLJADtI6zQ5nNXInogqM8Jq7W2bXo1s5vYkP0dRzT9uEcFhLmGnBa3iOj4wKx6tSyVrUeQpZlAA==;Suffix=x",
    "dop_v1_"
    "b37f0a72e9d34119f3374cebd4d3fd81b6ee7b3bb1c863e2601a7462667a4084",
    "dckr_pat_"
    "SVoJC2dIdxINRSaxsZisdlBW16R",
    "shpat_"
    "5b9a2145128edfed863bd39f917c1069",
    "bot token "
    "3244510762:AAqWDTjYf3c6jO2Z1LoZcPv6Ul3nF3ZkYNR",
    "redis://:"
    "VEnm0Ir7JSrigNVLppdQ@cache.internal:6379/0",
    "AGE-SECRET-KEY-1"
    "9WZT6TZELTJZQNX4JALGA3V842ASTQ4JVTEM59EXTG750QSC0U34NQSH0R",
    "curl -u admin:"
    "QhDtkzRG754TXt https://api.internal/",
    "curl -H 'Authorization: Bearer "
    "ShO68sxNoo9iEjDVMxASJ6EWIZQ0nWpRWM3YfHCH' https://api",
    "dapi"
    "b231645ae36f2e1e4de1e90c80621db2",
    "lin_api_"
    "Id75e7EcsAlXiXPUP9Ax5yC366yyfR9Q3IiP3whl",
    "gsk_"
    "IzHiUo1aWbtDRUIBIy0opDwjrm74UWhcZQANX744bpnegMcCMRT3",
    "glrt-"
    "gFfZ4DBhrLDOPEMsC0MJ",
    "hvs."
    "CAESIJ7q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5",
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
    "The test database is postgres://postgres:postgres@localhost/test.",
    "The checksum token is crc32:306f247e.",
    "The integrity of the AWS SDK is sha512-TAIjvFu7WICPhDeOZIiBOB+Y6sHrFH2ZUCr+lgotTAIjvFu7WICPhDeOZIiBOB==",
    "AWS secrets are rotated by commit 3f2504e04f8911d39a0c0305e82c3301aabbccdd.",
    "Hooks post to https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX in the docs.",
    "Requests carry Authorization: Bearer <token>, and bearer tokens live 15 minutes.",
    "The deploy token is glpat-my-own-deploy-token-name in the fixtures.",
    "docker run -u 1000:1000 image; curl -u user:pass is refused",
    "The dapi endpoint of hvs.internal answers in 20 ms.",
    "The publishable key pk_live_51KyEa8wtWy2591AIVVIZM5o is public.",
    "Backups of 2026:AAAA are kept",
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
