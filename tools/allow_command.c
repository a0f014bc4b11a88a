/* allow_command.c - `engram allow`: the user allows what a project's .engram.conf sets. */
#include <cjson/cJSON.h>

#include "tools/cli.h"

static void print_setting(void *self, const char *key, const char *value) {
    cJSON *settings = self;
    char line[4400];
    if (settings) {
        cJSON_AddStringToObject(settings, key, value);
        return;
    }
    snprintf(line, sizeof line, "  %.200s = %.4096s", key, *value ? value : "(unset)");
    print_shown(eg_str_of(line));
    putchar('\n');
}

static int told(const call *c, eg_host *host, cJSON *all, int remove) {
    eg_error err = {0};
    int was;
    const char *file = eg_host_project_file(host, &was);
    if (file && !c->json) printf("%s%s\n", file, remove ? "" : " sets:");
    cJSON *settings = all && !remove ? cJSON_AddObjectToObject(all, "settings") : NULL;
    eg_status s = remove ? eg_host_project_forbid(host, &err) : eg_host_project_allow(host, print_setting, settings, &err);
    if (s != EG_OK) return complain("%s", err.text);
    if (!all) {
        puts(remove ? "is no longer allowed"
                    : "This is obeyed from now on, until the file changes; `engram allow --remove` takes it back.");
        return EXIT_FINE;
    }
    cJSON_AddStringToObject(all, "file", file);
    cJSON_AddBoolToObject(all, "allowed", !remove);
    char *text = cJSON_PrintUnformatted(all);
    if (text) puts(text);
    cJSON_free(text);
    return EXIT_FINE;
}

int run_allow(const call *c) {
    /* none is needed, and what is allowed may name wrong ones */
    static const char *const settings[] = {"plugins="};
    eg_error err = {0};
    eg_host *host = NULL;
    if (c->positional_count) return complain("allow takes no arguments: leave out '%s'", c->positional[0]);
    eg_host_options o = host_options(c, 1, 0);
    o.settings = settings;
    o.setting_count = 1;
    o.quiet_project = 1;
    if (eg_host_open(&o, &host, &err) != EG_OK) return complain("%s", err.text);
    cJSON *all = c->json ? cJSON_CreateObject() : NULL;
    int status = told(c, host, all, call_option(c, "remove") != NULL);
    cJSON_Delete(all);
    eg_host_close(host);
    return status;
}
