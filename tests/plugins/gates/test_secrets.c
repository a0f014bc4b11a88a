/* test_secrets.c - the secrets gate: what is refused, what passes, and that the message never holds
 * the secret. The secrets below are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "personal.h"
#include "scan.h"
#include "tests/support/request.h"
#include "tests/support/services.h"

/* In other letters, or with characters that show nothing between: what a reader sees is the
 * secret. */
static const char *const disguised[] = {"key AKIAQ3EG"
                                        "\xE2\x80\x8B" /* zero-width space */
                                        "RVJ7NK2LMPWD is used",
                                        "ghp_x9Kf2LmQ7rT4"
                                        "\xC2\xAD" /* soft hyphen */
                                        "vB8nC1zW6yH3jD5sG0aPqE2u",
                                        "password\xEF\xBC\x9D" /* full-width = */
                                        "Winter2026!",
                                        /* full-width AKIA */
                                        "\xEF\xBC\xA1\xEF\xBC\xAB\xEF\xBC\xA9\xEF\xBC\xA1"
                                        "Q3EGRVJ7NK2LMPWD",
                                        /* mathematical bold AK */
                                        "\xF0\x9D\x90\x80\xF0\x9D\x90\x8A"
                                        "IAQ3EGRVJ7NK2LMPWD",
                                        "glpat-\xF3\xA0\x81\x81" /* a tag */
                                        "kpFCiRcDCajhDieQjEJ_"};

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
    "export PGPASSWORD="
    "q7RtW92xLmZ4vB",
    "dbPassword: \""
    "q7RtW92xLmZ4vB\"",
    "clientSecret = '"
    "Xk29fLq8Zr3Tn6Vw'",
    "{\"apiToken\": \""
    "Xk29fLq8Zr3Tn6Vw\"}",
    "java -Dpassword="
    "q7RtW92xLmZ4vB -jar app.jar",
    "config.setPassword(\""
    "q7RtW92xLmZ4vB\")",
    "MYSQL_PWD="
    "q7RtW92xLmZ4vB mysqldump",
    "host=db user=app pass="
    "q7RtW92xLmZ4vB",
    "Endpoint=sb://bus/;SharedAccessKey="
    "Jq7W2bXo1s5vYkP0dRzT9uEcFhLmGnBa3iOj4wKx6tS=",
    "**Password**: "
    "q7RtW92xLmZ4vB",
    "| password | "
    "q7RtW92xLmZ4vB |",
    "password:\t"
    "q7RtW92xLmZ4vB",
    "The password:\n\n    "
    "q7RtW92xLmZ4vB",
    "'password' => '"
    "q7RtW92xLmZ4vB'",
    "<password>"
    "q7RtW92xLmZ4vB</password>",
    "password = \xE2\x80\x9C"
    ""
    "q7RtW92xLmZ4vB\xE2\x80\x9D",
    "machine api.internal login bob password "
    "q7RtW92xLmZ4vB",
    "deploy --db-password "
    "q7RtW92xLmZ4vB --yes",
    "os.environ[\"DB_PASSWORD\"] = \""
    "q7RtW92xLmZ4vB\"",
    "password: "
    "q7R$tW9(2xL{mZ4vB",
    "password: "
    "k7#Qz!9vL$2mX@p4",
    "session_token = "
    "Xk29fLq8Zr3Tn6VwJq7W2bXo1s5vYkP0dRzT9uEcFhLmGnBa3iOj4wKxXk29fLq8Zr3Tn6VwJq7W2bXo1s5vYkP0dRzT9uEcFhLmGnBa3iOj4wKx"
    "Xk29fLq8Zr3Tn6VwJq7W2bXo1s5vYkP0dRzT9uEcFhLmGnBa3iOj4wKxXk29fLq8Zr3Tn6VwJq7W2bXo1s5vYkP0dRzT9uEcFhLmGnBa3iOj4wKx"
    "Xk29fLq8Zr3Tn6VwJq7W2bXo1s5vYkP0dRzT9uEcFhLmGnBa3iOj4wKx",
    "Authorization: Basic "
    "ZGVwbG95OnE3UnRXOTJ4TG1aNHZC",
    "{\"auths\": {\"hub.internal\": {\"auth\": \""
    "ZGVwbG95OnE3UnRXOTJ4TG1aNHZC\"}}}",
    "-----BEGIN PGP "
    "PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\nlQOYBF5t8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5Np9Qs8Tu1\n",
    "-----BEGIN RSA "
    "PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\nMIIEowIBAAKCAQEAtq7q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5\n",
    "key: |\n\t-----BEGIN "
    "PRIVATE KEY-----\n\tMIIEowIBAAKCAQEAtq7q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5\n",
    "\"private_key\": \"-----BEGIN "
    "PRIVATE KEY-----\\r\\nMIIEowIBAAKCAQEAtq7q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5\\r\\n",
    "\"-----BEGIN EC "
    "PRIVATE KEY-----\\n\" +\n    \"MIIEowIBAAKCAQEAtq7q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5\\n\"",
    "client-key-data: LS0tLS1CRUdJTi"
    "BSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVBdHE3cThacjNUbjZWdw",
    "https://api.telegram.org/bot3244510762:"
    "AAqWDTjYf3c6jO2Z1LoZcPv6Ul3nF3ZkYNR/sendMessage",
    "AKIA"
    "QXEGRVJYNKVLMPWD",
    "ya29."
    "a0AfB8yC2Lm5Np9Qs8Tu1Vw3Xy6Za7Bc4De",
    "ATATT3x"
    "FfGF0q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5Np9Qs8Tu1Xy6Za7Bc4De",
    "glsa_"
    "q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5Np9Qs8_1a2b3c4d",
    "ntn_"
    "q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5Np9Qs8Tu1Xy6Za7Bc4De9",
    "sbp_"
    "5b9a2145128edfed863bd39f917c10695b9a2145",
    "NRAK-"
    "Q3EGRVJ7NK2LMPWD9XT4HB6SC8Z",
    "tskey-auth-"
    "kq8Zr3Tn6CNTRL-Vw1Yb4Ce7Gh0Jk2Lm5Np9",
    "xai-"
    "q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5Np9Qs8Tu1Xy6Za7Bc4De9",
    "r8_"
    "q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5Np9Qs8Tu1Xy",
    "pscale_pw_"
    "q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5Np9Qs8Tu1",
    "hvb."
    "AAAAAQq8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5",
    "glptt-"
    "5b9a2145128edfed863bd39f917c10695b9a2145",
    "SK"
    "5b9a2145128edfed863bd39f917c1069",
    "https://discord.com/api/webhooks/"
    "1034918273640518273/q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5Np9Qs8Tu1Xy6Za7Bc4De9",
    "https://shop.blob.core.windows.net/a?sv=2022-11-02&sig="
    "Jq7W2bXo1s5vYkP0dRzT9uEcFh%2BLmGnBa3iOj4wKx6tS%3D",
    "smtp://bob@corp.io:"
    "hT7-w2Qz@mail.corp.io:587",
    "postgres://app:"
    "hT7/w2Qz@db/app",
    "postgres://app:"
    "passQ7rtW9@db/app",
    "The key is ghp_x9Kf2LmQ7rT4"
    "\n    vB8nC1zW6yH3jD5sG0aPqE2u in the vault",
    "AKIAQ3EG"
    "\r\nRVJ7NK2LMPWD",
    "eyJhbGciOiJIUzI1NiJ9"
    ".eyJzdWIiOiI5OTgyNzMx\n\tIiwiaWF0IjoxfQ.q8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5",
    "encoded: Z2hwX3g5S2YyTG1RN3"
    "JUNHZCOG5DMXpXNnlIM2pENXNHMGFQcUUydQ== as in the log",
    "data: cGFzc3dvcmQ9cTdSd"
    "Fc5MnhMbVo0dkI=",
    "MIIEowIBAAKCAQEAtq7q8Zr3Tn6"
    "Vw1Yb4Ce7Gh0Jk2Lm5Np9Qs8Tu1Xy6Za7Bc4DeFg\nx9Kf2LmQ7rT4vB8nC1zW6yH3jD5sG0aPqE2u",
    "MIIEvQIBADANBgkqhkiG9w0BAQE"
    "FAASCBKcwggSjAgEAAoIBAQC2ru",
    "MHcCAQEEIBkg5sXHWvPq8Zr3Tn6"
    "Vw1Yb4Ce7Gh0Jk2Lm5Np9oAoGCCqGSM49",
    "MC4CAQAwBQYDK2VwBCIEIBkg5sX"
    "HWvPq8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5Np9",
    "b3BlbnNzaC1rZXktdjEAAAAABG5"
    "vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZWQyNTUxOQ",
    "PrivateKey = "
    "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=",
    "wpa_psk="
    "5b9a2145128edfed863bd39f917c10695b9a2145128edfed863bd39f917c1069",
    "MAPS_API_KEY="
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "client_secret: \""
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301\"",
    "it signs with "
    "TAIjvFu7WICPhDeOZIiBOB+Y6sHrFH2ZUCr/lgot in CI",
    "Password="
    "Winter2026!",
    "password = "
    "Winter2026",
    "db.password: '"
    "hunter2!now'",
    "mysql --password="
    "Sommer!77x -u root",
    "https://shop/login?password="
    "tr0ub4dor!3&user=bob",
    "wpa_passphrase="
    "Gartenhaus!9",
    "The Heroku API key is "
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301.",
    "api key: "
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "The password of staging is kept nowhere; the old password is "
    "Winter2026!",
    "ADMIN_PW="
    "Winter2026!",
    "root_pass: "
    "Winter2026!",
    "Passwort="
    "Winter2026!",
    "contrase\xC3\xB1"
    "a: "
    "Verano2026!",
    "mot de passe : "
    "Soleil2026!",
    "sshpass -p '"
    "Winter2026!' ssh root@db1",
    "curl -u admin:"
    "Winter2026! https://api.internal/",
    "MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkqhkiG"
    "9w0BBQwwHAQIq8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5",
    "Private-Lines: 1\nAAAAIHq8Zr3Tn6Vw1Yb4"
    "Ce7Gh0Jk2Lm5Np9Qs8Tu1Xy6Z",
    "the bot logs in with MTk4NjIyNDgzNDcxOTI1MjQ4"
    ".Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
};
/* Passwords like any word, known by where they stand. */
static const char *const weak[] = {
    "password is hunter2",
    "The admin password is Tr0ub4dor&3",
    "The password is Tr0ub4dor&3.",
    "- password: 4what?now",
    "password: pa$$w0rd9",
    "The password is hunter2.",
    "the admin password for staging is hunter2",
    "The root password of db1 was changed to sunshine7",
    "`password: abc`",
    "password: abc",
    "  password: swordfish",
    "- db_password: swordfish",
    "spring.datasource.password: letmein",
    "spring.datasource.password=letmein1",
    "{\"user\": \"bob\", \"password\": \"swordfish\"}",
    "{user: bob, password: abc}",
    "the password is \"swordfish\"",
    "The password is `swordfish`, ask Bob",
    "log in with password hunter2",
    "user deploy and password hunter2, on db1",
    "mysql -u app -phunter2 shop",
    "mysqldump -uroot -pabc --all-databases > x",
    "mysql -h db -u app -p'hunter2' shop",
    "mysql -pSommer77",
    "redis-cli -h cache -a swordfish ping",
    "mongosh -u app -p hunter2 shop",
    "ldapsearch -D cn=admin -w hunter2 -b dc=x",
    "Server=db1;Database=shop;User Id=sa;Password=abc;",
    "Data Source=db1; User ID=sa; Password=swordfish; Pooling=true",
    "host=db1 user=app password=swordfish dbname=shop",
    "jdbc:mysql://db1/shop?user=app&password=swordfish",
    "mongodb://app:abc@db1/shop",
    "postgres://app:hunter2@db1/shop",
    "PGPASSWORD=swordfish psql -h db1",
    "export MYSQL_PWD=swordfish",
    "MYSQL_ROOT_PASSWORD=hunter2",
    "key-"
    "3f2a9c0d4e5b6a7988c1d2e3f4a5b6c7",
    "Mailgun api:key-"
    "3f2a9c0d4e5b6a7988c1d2e3f4a5b6c7 is used",
    "Passwort: geheim7",
    "Das Passwort ist hunter2.",
    "password = \"swordfish\"",
    "password='swordfish'",
    "passphrase: correct-horse-battery-staple",
    "password: 1234",
    "--password hunter2 -u root",
    "--password=swordfish -u root",
    "machine api.internal login bob password hunter2",
    "wifi password is sunshine99",
    "The Wi-Fi password in the office is \"sunshine\"",
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
    "docker://alpine:3.19@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "https://x-access-token:TOKEN@github.com, https://x-access-token:GITHUB_TOKEN@github.com",
    "postgresql://engram:{password}@db",
    "postgres://app:%DB_PASSWORD%@db",
    "postgres://test:test123@localhost:5432/test",
    "postgres://app:password1@localhost/app",
    "https://registry.internal:8080/npm/@scope/pkg",
    "postgres://app@db:5432,app@db2:5433/app",
    "git+ssh://git@github.com:org/repo2.git@v1.2.3",
    "The TLS secret: payments-db1-eu2-pg15-v4 is mounted",
    "SECRET_NAME=payments-db1-eu2-pg15-v4, SECRET_PATH=q7RtW92xLmZ4vB",
    "secret: db1.eu2.k8s3.pg15.internal",
    "secret = kubernetes.io/tls/v1beta1-x509-sha256",
    "The API token is Oauth2Rfc6749Sec4Grant",
    "TOKEN_MODEL=text-embedding-3-large-v2b1-2024q4",
    "The cache token is 3f2504e0-4f89-41d3-9a0c-0305e82c3301 in the log",
    "secret: prod/3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "password: ENC(G6N718UuyPE5bHyWKyuLQSm02auQPUtm)",
    "dbPassword = config.getDbPassword(env4Prod2)",
    "password: $2b$12$q7RtW92xLmZ4vBq7RtW92xLmZ4vB",
    "PWD=/home/build/engram-x9Kf2LmQ7rT4",
    "compass=north-east2-b3-c4d5",
    "API_TOKEN=\nS3_BUCKET=q7RtW92xLmZ4vB",
    "Use the Basic authentication scheme, or Basic dXNlcjpwYXNzd29yZA== as in the manual",
    "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURCVENDQWUyZ0F3SUJBZ0lJTGF5",
    "-----BEGIN PRIVATE KEY----- in a file is found since 3f2504e04f8911d39a0c0305e82c3301aabbccdd, plugins/gates/secrets/scan/and/others",
    "-----BEGIN PGP PUBLIC KEY BLOCK-----\nmQOYBF5t8Zr3Tn6Vw1Yb4Ce7Gh0Jk2Lm5Np9Qs8Tu1",
    "https://api.telegram.org/bot<token>/sendMessage",
    "The region ASIAPACIFICNORTHEAST has two zones",
    "https://discord.com/api/webhooks/ID/TOKEN is called by CI",
    "password = <your password>",
    "password=$PASSWORD",
    "password=${PASSWORD}",
    "password: string, required",
    "password: varchar(255)",
    "password: varchar255",
    "password = hash(input1)",
    "password=sha256",
    "Password: Argon2id2024",
    "password: min8chars!",
    "password = request.form1",
    "password: 12 characters, one of !@#",
    "password: required2024!",
    "pass: test_login@v2build7",
    "pass: job#4521abc",
    "PWD=/home/build/x9!kf2Lm",
    "password is Utf8String",
    "--password VALUE",
    "password=admin@example.com1",
    "passwordless login since v2!",
    "password_reset_url: https://shop/reset2!now",
    "TOKEN_ID=3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "API_KEY_ID=3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "API_KEY=00000000-0000-0000-0000-000000000000",
    "AKIAI44QH8DHBEXAMPLE and ASIAIOSFODNN7EXAMPLE are documented too",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY is the documented one",
    "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVy is the base64 of a sentence",
    "src/main/java/Shop2/ApiClientV3/Orders4X is a folder",
    "The digest is 2jmj7l5rSw0yVb/vlWAYkK/YBwk= in base64",
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtq7q8Zr3Tn6Vw1Yb4Ce7",
    "MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ",
    "Tokens begin with ghp_\nor with github_pat_11 and are refused",
    "The exporter-service-2\nreads glpat-\ntokens from the vault",
    "The key is kept as\nmy-own-deploy-token-name-of-2024\nin the vault",
    "The path /usr/share/engram/models/engram-nli\nis long",
    "The API key id is 3f2504e0-4f89-41d3-9a0c-0305e82c3301.",
    "The API key is kept in vault/kv/payments/api_key_v2.",
    "Each API key: at most 100 requests a minute.",
    "The password is required by OAuth2!",
    "The password is Keycloak2026 in no file",
    "The password is sha1+salt in old rows.",
    "The password is checked by zxcvbn4!",
    "Our password is never logged since v2.14!",
    "The pw column has 60 characters.",
    "pw = 1/2 of the page width",
    "all tests pass: 4521 of 4521!",
    "first_pass: 12345678",
    "docker run -u app:staff2026 image",
    "Das Passwort hat mindestens 12 Zeichen!",
    "Passwort: mindestens 12 Zeichen",
    "mot de passe : obligatoire",
    "sshpass -p \"$PASSWORD\" ssh root@db1, sshpass -pPASSWORD",
    "MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJRTES",
    "Private-Lines: 8 in a file of PuTTY",
    "Versions 1.2.3 and MTk4NjIyNDgzNDcxOTI1MjQ4.tar.gz",
    "com.corp.MTk4NjIyNDgzNDcxOTI1MjQ4.Config.Build",
    "the password is stored hashed",
    "password: ${DB_PASSWORD}",
    "password length is 12",
    "The password is hashed with bcrypt.",
    "The password is required.",
    "The password is `required`",
    "password: string",
    "password: string; email: string",
    "password: required",
    "password: hidden",
    "password: str | None",
    "{ password: newPassword }",
    "user.password = input.password",
    "if (password == other) return",
    "password=$PASSWORD",
    "The password is OAuth2.",
    "The password is $DB_PASSWORD2.",
    "The password is %DB_PASSWORD2%.",
    "The password is Q&A.",
    "The password is what? See section 2.",
    "password: sha256&salt",
    "The password is sent over TLS1.3.",
    "The password for staging is stored in the vault.",
    "The password of the db user is rotated every 90 days.",
    "Passwords are hashed with argon2id, 64 MB.",
    "The password is at least 12 characters.",
    "The password must have 8 characters.",
    "password reset links live 30 minutes",
    "The default password is guest.",
    "The default user and password is `guest`",
    "mysql -u root -p shop",
    "mysql -u root -p",
    "mysql -P3306 -u root",
    "docker run -p3306:3306 mysql",
    "mysql -p$MYSQL_PWD -u root",
    "mysql -p\"$MYSQL_PWD\"",
    "mysql -p${PW}",
    "redis-cli -a $REDIS_PASSWORD",
    "redis-cli -a \"$PASS\" ping",
    "cache key-prefix",
    "Server=db1;User Id=sa;Password=${SA_PASSWORD};",
    "Server=db1;User Id=sa;Password=***;",
    "password=<redacted>",
    "PGPASSWORD=$(cat /run/secrets/pg)",
    "MYSQL_ROOT_PASSWORD=password",
    "DB_PASSWORD=changeme",
    "password: see 1Password",
    "password: vault:kv/db#password",
    "password_hash: abc",
    "password-min-length: 12",
    "Password: the user's password",
    "Set password: true to ask for one",
    "password: null",
    "password=",
    "password: [redacted]",
    "password: *****",
    "--password STRING",
    "--password-file FILE",
    "the --password flag is deprecated since v2",
    "login with password and TOTP",
    "Log in with password or SSO2.",
    "with the password policy2 of the realm",
    "key-value pairs",
    "The password column is varchar60.",
    "password is read from stdin",
    "Passwords: at most 72 bytes.",
    "password field: input2",
    "The password is compared in constant time.",
    "The password is never logged.",
    "password: !vault |",
    "password: \"{{ vault_db_password }}\"",
    "password = os.environ[\"DB_PASSWORD\"]",
    "password = getpass()",
    "const password = useRef()",
    "password => '***'",
    "Password: admin",
    "The password is 12 characters long.",
    "password of version 2 is longer",
    "The passwd file is world-readable.",
};

static void refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        secret_hit hit = {0};
        if (!secret_find(eg_str_of(secrets[i]), 0, &hit)) fail_msg("not found: %s", secrets[i]);
        assert_true(hit.start < hit.end && hit.end <= strlen(secrets[i]));
    }
    for (size_t i = 0; i < sizeof weak / sizeof weak[0]; i++) {
        secret_hit hit = {0};
        if (!secret_find(eg_str_of(weak[i]), 0, &hit)) fail_msg("not found: %s", weak[i]);
        assert_true(hit.start < hit.end && hit.end <= strlen(weak[i]));
        /* it is the value that is named, and what stands before it is none */
        assert_false(secret_find((eg_str){weak[i], hit.start}, 0, &(secret_hit){0}));
    }
}

static void passes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        secret_hit hit;
        if (secret_find(eg_str_of(harmless[i]), 0, &hit)) fail_msg("taken for %s: %s", hit.what, harmless[i]);
    }
}

static const char *const personal[] = {"Refund card 4539 5787 6362 1486 first.", "card=4539578763621486",
                                       "Paid from DE89 3704 0044 0532 0130 00.", "IBAN GB33BUKB20201555555555",
                                       "On call: ann@corp.io, bob@corp.io and cem@mail.corp.io."};
static const char *const impersonal[] = {"The test card is 4111 1111 1111 1111.",
                                         "card 4539 5787 6362 1487 has a wrong digit",
                                         "Job 1800000000000000 took 4539578 ms",
                                         "DE89 3704 0044 0532 0130 01 has a wrong digit",
                                         "Mail goes to ops@corp.io and ann@corp.io, not to ops@corp.io.",
                                         "ann@example.com, bob@example.com, cem@example.org",
                                         "id 45395787636214861234567890",
                                         "git@github.com:a/b.git, git@github.com:c/d.git"};

static void personal_data(void **state) {
    (void)state;
    secret_hit hit;
    for (size_t i = 0; i < sizeof personal / sizeof *personal; i++) {
        if (!personal_find(eg_str_of(personal[i]), &hit)) fail_msg("not found: %s", personal[i]);
        assert_true(hit.start < hit.end && hit.end <= strlen(personal[i]));
        assert_false(secret_find(eg_str_of(personal[i]), 0, &hit));
    }
    for (size_t i = 0; i < sizeof impersonal / sizeof *impersonal; i++)
        if (personal_find(eg_str_of(impersonal[i]), &hit)) fail_msg("taken for %s: %s", hit.what, impersonal[i]);
}

const eg_plugin *eg_plugin_secrets(void);

static const char *setting; /* secrets.personal_data */
static int warnings;
static eg_status config(void *host, const char *key, eg_str *value) {
    (void)host;
    assert_string_equal(key, "secrets.personal_data");
    *value = eg_str_of(setting);
    return setting ? EG_OK : EG_ENOENT;
}
static void count_warning(void *host, eg_log_level level, const char *plugin, const char *text) {
    (void)host, (void)plugin, (void)text;
    warnings += level == EG_LOG_WARN;
}

/* What the gate says to a commit of this content. */
static eg_status check(eg_str content, test_request *request) {
    eg_services services = test_services(NULL);
    services.config = config;
    services.log = count_warning;
    eg_registrar registrar = {0};
    void *self;
    const eg_plugin *p = eg_plugin_secrets();
    assert_int_equal(test_registrar_open(&registrar, &services, p, &self, &request->err), EG_OK);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = content;
    eg_status s = registrar.gate->check(registrar.gate_self, &services, &request->rq, &args);
    p->close(self);
    return s;
}

/* The message names the bytes of the text as it was given. */
static void disguises_are_seen_through(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof disguised / sizeof *disguised; i++) {
        test_request request;
        secret_hit hit;
        test_request_init(&request, 0);
        assert_false(secret_find(eg_str_of(disguised[i]), 0, &hit));
        if (check(eg_str_of(disguised[i]), &request) != EG_EREFUSED) fail_msg("not found: %s", disguised[i]);
        char position[60];
        if (i == 0) snprintf(position, sizeof position, "(bytes 4 to %zu)", strlen(disguised[0]) - strlen(" is used"));
        if (i == 0) assert_non_null(strstr(request.err.text, position));
        test_request_release(&request);
    }
    test_request request;
    test_request_init(&request, 0);
    assert_int_equal(check(EG_STR("Der Schl\xC3\xBCssel \xE2\x80\x9C"
                                  "ghp_\xE2\x80\x9D geh\xC3\xB6rt nicht hierher \xF0\x9F"),
                           &request),
                     EG_OK);
    test_request_release(&request);
}

/* Personal data is refused where the setting says so, or something that nobody knows. */
static void personal_data_is_a_setting(void **state) {
    (void)state;
    static const struct {
        const char *value;
        eg_status expected;
        int warnings;
    } ways[] = {{NULL, EG_OK, 0}, {"allow", EG_OK, 0}, {"refuse", EG_EREFUSED, 0}, {"reject", EG_EREFUSED, 1}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        test_request request;
        test_request_init(&request, 0);
        setting = ways[i].value;
        warnings = 0;
        assert_int_equal(check(eg_str_of(personal[0]), &request), ways[i].expected);
        assert_int_equal(warnings, ways[i].warnings);
        if (ways[i].expected != EG_OK) assert_non_null(strstr(request.err.text, "payment card"));
        test_request_release(&request);
    }
    setting = NULL;
}

static void the_message_holds_no_secret(void **state) {
    (void)state;
    eg_services services = test_services(NULL);
    services.config = config;
    eg_registrar registrar = {0};
    test_request request;
    test_request_init(&request, 0);
    void *self;
    const eg_plugin *p = eg_plugin_secrets();
    assert_int_equal(test_registrar_open(&registrar, &services, p, &self, &request.err), EG_OK);
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        eg_commit_args args = EG_COMMIT_DEFAULTS;
        args.content = eg_str_of(secrets[i]);
        secret_hit hit;
        assert_true(secret_find(args.content, 0, &hit));
        assert_int_equal(registrar.gate->check(registrar.gate_self, &services, &request.rq, &args), EG_EREFUSED);
        char secret[256] = {0};
        memcpy(secret, secrets[i] + hit.start, hit.end - hit.start < 12 ? hit.end - hit.start : 12);
        assert_null(strstr(request.err.text, secret));
        assert_non_null(strstr(request.err.text, hit.what));
    }
    static const size_t others[] = {offsetof(eg_commit_args, scope), offsetof(eg_commit_args, provenance),
                                    offsetof(eg_commit_args, artifact_hash), offsetof(eg_commit_args, engineer),
                                    offsetof(eg_commit_args, agent_id)};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        eg_commit_args args = EG_COMMIT_DEFAULTS;
        args.content = EG_STR("harmless");
        *(eg_str *)((char *)&args + others[i]) = eg_str_of(secrets[7]);
        assert_int_equal(registrar.gate->check(registrar.gate_self, &services, &request.rq, &args), EG_EREFUSED);
    }
    eg_commit_args good = EG_COMMIT_DEFAULTS;
    good.content = EG_STR("The API listens on 127.0.0.1:8080.");
    assert_int_equal(registrar.gate->check(registrar.gate_self, &services, &request.rq, &good), EG_OK);
    p->close(self);
    test_request_release(&request);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused),
                                       cmocka_unit_test(passes),
                                       cmocka_unit_test(personal_data),
                                       cmocka_unit_test(disguises_are_seen_through),
                                       cmocka_unit_test(personal_data_is_a_setting),
                                       cmocka_unit_test(the_message_holds_no_secret)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
