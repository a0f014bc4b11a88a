/* limits.h - every bound on what comes from outside, in one place. */
#ifndef ENGRAM_LIMITS_H
#define ENGRAM_LIMITS_H

enum {
    EG_MAX_CONTENT = 8192,    /* bytes of a fact */
    EG_MAX_TOPIC = 2048,      /* bytes of a query; a longer one is cut */
    EG_MAX_SCOPE = 200,       /* bytes; segments [a-z0-9._-] joined by '/' */
    EG_MAX_NAME = 200,        /* bytes of agent_id, engineer, workspace */
    EG_MAX_PROVENANCE = 1000, /* bytes of provenance, artifact_hash */
    EG_MAX_RESOLUTION = 8192, /* bytes of a resolution's text */
    EG_MAX_TTL_DAYS = 36500,
    EG_MAX_RESULTS = 50,             /* facts in one answer to a query */
    EG_MAX_LISTED = 500,             /* conflicts or facts in one listing */
    EG_MAX_TERMS = 32,               /* search terms of a query */
    EG_MAX_FACT_TERMS = 512,         /* index terms of a fact */
    EG_MAX_STATEMENTS = 64,          /* of one fact */
    EG_MAX_STATEMENT = 1000,         /* bytes of a given one */
    EG_MAX_CLAIMS = 64,              /* of one fact */
    EG_MAX_CANDIDATES = 40,          /* facts that a new fact is compared with */
    EG_MAX_CHECK_STATEMENTS = 20000, /* of one engram check */
    EG_MAX_IMPORT = 64 << 20,        /* bytes of an exported memory that is imported */
    EG_MAX_WAIT_MS = 60000,
    EG_MAX_ATTEMPTS = 5,         /* failures after which a job is dead-lettered */
    EG_MAX_DIMENSIONS = 4096,    /* of an embedding */
    EG_MAX_MODEL_FILE = 16 << 20 /* bytes of a file beside the weights of a model that a plugin
                                  * reads */
};

#endif
