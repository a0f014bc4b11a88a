/* clients.c - see clients.h. Where each format is described by the maker of the client:
 *   claude-code     https://docs.claude.com/en/docs/claude-code/mcp (scope user)
 *   claude-desktop  https://modelcontextprotocol.io/docs/develop/connect-local-servers
 *   cursor          https://docs.cursor.com/context/model-context-protocol
 *   vscode          https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
 *   windsurf        https://docs.windsurf.com/windsurf/cascade/mcp
 *   codex           https://developers.openai.com/codex/mcp
 *   gemini          https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md
 *   zed             https://zed.dev/docs/ai/mcp (versions of 2025 want the source, later ones
 *                   take no notice of it)
 *   opencode        https://opencode.ai/docs/mcp-servers, https://opencode.ai/docs/migrate-v1
 *                   (version 2 has mcp.servers, and reads the form of version 1 as well)
 * Hooks: https://code.claude.com/docs/en/hooks, https://developers.openai.com/codex/hooks and
 * https://geminicli.com/docs/hooks/reference. */
#include "tools/install/clients.h"

#include <stdlib.h>

#include "core/base/file.h"

#define CONFIG "XDG_CONFIG_HOME", ".config"
const client clients[] = {
    {"claude-code", "Claude Code", &config_jsonc, "mcpServers", "CLAUDE_CONFIG_DIR", "", ".claude.json", NULL, ".claude",
     CLIENT_STDIO, NULL, ".claude", "settings.json"},
    {"claude-desktop", "Claude Desktop", &config_jsonc, "mcpServers", CONFIG, "Claude/claude_desktop_config.json", NULL, "Claude",
     CLIENT_COMMAND, NULL, NULL, NULL},
    {"cursor", "Cursor", &config_jsonc, "mcpServers", NULL, ".cursor", "mcp.json", NULL, "", CLIENT_COMMAND, NULL, NULL, NULL},
    {"vscode", "VS Code", &config_jsonc, "servers", CONFIG, "Code/User/mcp.json", NULL, "Code", CLIENT_STDIO, NULL, NULL, NULL},
    {"windsurf", "Windsurf", &config_jsonc, "mcpServers", NULL, ".codeium/windsurf", "mcp_config.json", NULL, "", CLIENT_COMMAND,
     NULL, NULL, NULL},
    {"codex", "Codex CLI", &config_toml, "mcp_servers", "CODEX_HOME", ".codex", "config.toml", NULL, "", CLIENT_COMMAND, NULL,
     ".codex", "hooks.json"},
    {"gemini", "Gemini CLI", &config_jsonc, "mcpServers", NULL, ".gemini", "settings.json", NULL, "", CLIENT_COMMAND, NULL,
     ".gemini", "settings.json"},
    {"zed", "Zed", &config_jsonc, "context_servers", CONFIG, "zed/settings.json", NULL, "zed", CLIENT_CUSTOM, NULL, NULL, NULL},
    {"opencode", "opencode", &config_jsonc, "mcp", CONFIG, "opencode/opencode.json", "opencode/opencode.jsonc", "opencode",
     CLIENT_LOCAL, "servers", NULL, NULL},
    {0}};

const client *client_named(const char *name) {
    for (const client *c = clients; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

static char *path_in(const client *c, const char *folder, const char *file, eg_arena *a) {
    const char *set = c->variable ? getenv(c->variable) : NULL, *home = getenv("HOME");
    if (set && *set == '/') return eg_arena_printf(a, "%s/%s", set, file);
    if (!home || *home != '/') return NULL;
    return *folder ? eg_arena_printf(a, "%s/%s/%s", home, folder, file) : eg_arena_printf(a, "%s/%s", home, file);
}

char *client_file(const client *c, eg_arena *a) {
    char *file = path_in(c, c->folder, c->file, a), *other = c->other ? path_in(c, c->folder, c->other, a) : NULL;
    return file && other && !eg_file_exists(file) && eg_file_exists(other) ? other : file;
}

char *client_hook_file(const client *c, eg_arena *a) { return path_in(c, c->hook_folder, c->hook_file, a); }

int client_is_here(const client *c, eg_arena *a) {
    const char *file = client_file(c, a), *sign = path_in(c, c->folder, c->sign, a);
    return (file && eg_file_exists(file)) || (sign && eg_file_exists(sign));
}

/* What entries of servers elsewhere have, and of servers that an extension of the client starts,
 * but for fields of our own. */
static const char *const foreign[] = {"url",  "httpUrl",          "serverUrl", "headers", "http_headers", "oauth",
                                      "auth", "env_http_headers", "settings",  "type",    "source",       "bearer_token_env_var"};
enum { FOREIGN = sizeof foreign / sizeof *foreign };

/* ["a", "b"] of the words; NULL without memory. */
static char *array_of(const char *const *words, size_t n, eg_arena *a) {
    eg_buffer b = {0};
    for (size_t i = 0; i < n; i++) {
        eg_buffer_text(&b, i ? ", " : "[");
        eg_buffer_json(&b, eg_str_of(words[i]));
    }
    eg_buffer_text(&b, "]");
    char *copy = b.failed ? NULL : eg_arena_copy(a, (eg_str){b.ptr, b.len});
    eg_buffer_release(&b);
    return copy;
}

static char *string_of(const char *word, eg_arena *a) {
    eg_buffer b = {0};
    eg_buffer_json(&b, eg_str_of(word));
    char *copy = b.failed ? NULL : eg_arena_copy(a, (eg_str){b.ptr, b.len});
    eg_buffer_release(&b);
    return copy;
}

const config_entry *client_entry(const client *c, const char *const *words, size_t n, eg_arena *a) {
    config_field *f = eg_arena_array(a, CLIENT_MAX_FIELDS, sizeof *f);
    config_entry *e = eg_arena_alloc(a, sizeof *e);
    const char *program = string_of(words[0], a), *all = array_of(words, n, a), *args = array_of(words + 1, n - 1, a);
    const char **others = eg_arena_array(a, FOREIGN + 1, sizeof *others);
    size_t count = 0, other_count = 0;
    if (!f || !e || !others || !program || !all || !args) return NULL;
    if (c->style == CLIENT_LOCAL) {
        f[count++] = (config_field){"type", "\"local\""};
        f[count++] = (config_field){"command", all};
        f[count++] = (config_field){"enabled", "true"};
    } else {
        if (c->style == CLIENT_STDIO) f[count++] = (config_field){"type", "\"stdio\""};
        if (c->style == CLIENT_CUSTOM) f[count++] = (config_field){"source", "\"custom\""};
        f[count++] = (config_field){"command", program};
        f[count++] = (config_field){"args", args};
    }
    for (size_t i = 0; i < FOREIGN; i++)
        if (strcmp(f[0].key, foreign[i]) != 0) others[other_count++] = foreign[i];
    others[other_count] = NULL;
    *e = (config_entry){
        .table = c->table, .name = "engram", .inner = c->inner, .fields = f, .field_count = count, .foreign = others};
    return e;
}

const config_entry *client_hook(const char *command, eg_arena *a) {
    config_field *f = eg_arena_alloc(a, sizeof *f);
    config_entry *e = eg_arena_alloc(a, sizeof *e);
    const char *value = string_of(command, a);
    if (!f || !e || !value) return NULL;
    *f = (config_field){"command", value};
    *e = (config_entry){.table = "hooks", .name = "SessionStart", .fields = f, .field_count = 1};
    return e;
}
