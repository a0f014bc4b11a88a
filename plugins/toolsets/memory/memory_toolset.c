/* memory_toolset.c - the plugin: registers tools, resources and a prompt over the memory. No state
 * of its own. */
#include "tools.h"

static eg_status add_tools(const eg_services *services, eg_registrar *registrar, const eg_tool *tools, size_t n) {
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i++) s = services->add_tool(registrar, &tools[i], NULL);
    return s;
}

static eg_status toolset_open(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    *self = NULL;
    eg_status s = add_tools(services, registrar, mt_core_tools, mt_core_tool_count);
    if (s == EG_OK) s = add_tools(services, registrar, mt_team_tools, mt_team_tool_count);
    if (s == EG_OK) s = add_tools(services, registrar, mt_life_tools, mt_life_tool_count);
    if (s == EG_OK) s = add_tools(services, registrar, &mt_batch_tool, 1);
    if (s == EG_OK) s = add_tools(services, registrar, mt_care_tools, mt_care_tool_count);
    for (size_t i = 0; s == EG_OK && i < mt_resource_count; i++) s = services->add_resource(registrar, &mt_resources[i], NULL);
    for (size_t i = 0; s == EG_OK && i < mt_prompt_count; i++) s = services->add_prompt(registrar, &mt_prompts[i], NULL);
    if (s != EG_OK && err) {
        err->code = s;
        snprintf(err->text, sizeof err->text,
                 "the memory tools could not be registered; another toolset may use the same names: remove one of the two");
    }
    return s;
}

static void toolset_close(void *self) { (void)self; }

const eg_plugin *EG_PLUGIN_ENTRY(void) {
    static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_TOOLSET, "memory", "0.1.0", "Apache-2.0"), .open = toolset_open,
                                     .close = toolset_close};
    return &plugin;
}
