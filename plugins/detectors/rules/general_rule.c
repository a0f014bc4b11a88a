/* general_rule.c - see general_rule.h. */
#include "general_rule.h"

/* Groups of products of which a thing uses one. Spellings of one product are joined by '/'. */
static const char *const product_groups[] = {
    "mysql postgresql/postgres mariadb cockroachdb oracle mongodb sqlite dynamodb cassandra scylladb spanner "
    "yugabytedb",
    "kafka rabbitmq nats pulsar sqs redpanda activemq",
    "redis memcached valkey keydb dragonfly",
    "go/golang java kotlin scala ruby rust python elixir clojure c#",
    "jenkins teamcity circleci buildkite",
    "aws gcp azure hetzner",
    "helm kustomize",
    "npm yarn pnpm bun",
    "jest vitest mocha",
    "react vue svelte angular",
    "maven gradle bazel sbt",
    "grpc graphql rest",
    "protobuf avro json xml",
    "nginx envoy haproxy caddy traefik",
    "debian ubuntu alpine fedora",
    "utc cet",
};

/* The position of product s in a group, from 1; 0: it is not in the group. */
static int product_in(const char *group, eg_str s) {
    int number = 1;
    for (const char *p = group; *p;) {
        size_t n = 0;
        while (p[n] && p[n] != ' ' && p[n] != '/') n++;
        if (n == s.len && memcmp(p, s.ptr, n) == 0) return number;
        p += n;
        if (*p == ' ') number++;
        if (*p) p++;
    }
    return 0;
}

int products_exclude(eg_str a, eg_str b) {
    for (size_t i = 0; i < sizeof product_groups / sizeof product_groups[0]; i++) {
        int x = product_in(product_groups[i], a), y = product_in(product_groups[i], b);
        if (x && y) return x != y;
    }
    return 0;
}

static int is_restricted(const sentence *x) {
    for (size_t i = 0; i < x->n; i++)
        if (word_in(x->units[i].key, "if when unless except without not no never only some most apart but "
                                     "until other besid besides "
                                     "stag staging test local new"))
            return 1;
    return x->modality != EG_MODALITY_IS && x->modality != EG_MODALITY_SHOULD;
}

int rule_is_broken(const sentence *rule, const sentence *instance, eg_span *in_rule, eg_span *in_instance) {
    if (rule->n < 4 || rule->n > 10 || instance->n < 3) return 0;
    if (!word_in(rule->units[0].key, "all every each") || word_in(instance->units[0].key, "all every each")) return 0;
    if (is_restricted(rule) || is_restricted(instance)) return 0;
    const unit *kind = &rule->units[1];
    if (kind->kind != UNIT_WORD || !kind->content) return 0;
    size_t verb = rule->verb, i = 0;
    if (verb != 2 || verb + 1 >= rule->n) return 0;
    /* the instance names a thing of that kind before the same verb */
    while (i < instance->n && !eg_str_eq(instance->units[i].key, kind->key)) i++;
    /* i 0: "Services use ..." is a rule itself */
    if (i == 0 || i + 2 >= instance->n || i + 1 != instance->verb) return 0;
    if (!eg_str_eq(instance->units[i + 1].key, rule->units[verb].key)) return 0;
    for (size_t r = verb + 1; r < rule->n; r++)
        for (size_t k = i + 2; k < instance->n; k++)
            if (products_exclude(rule->units[r].key, instance->units[k].key) &&
                rule->units[r].clause == rule->units[verb].clause && instance->units[k].clause == instance->units[i].clause) {
                *in_rule = rule->units[r].span;
                *in_instance = instance->units[k].span;
                return 1;
            }
    return 0;
}
