// Finds the functions of libsecret-1.so.0 and of the GLib that it brings along.
#include "libsecret.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static dbseal_libsecret functions;
static int is_loaded;
static char flaw[200];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct {
  const char *name;
  void **place;
} wanted[] = {
    {"g_str_hash", (void **)&functions.str_hash},
    {"g_str_equal", (void **)&functions.str_equal},
    {"g_hash_table_new", (void **)&functions.hash_table_new},
    {"g_hash_table_insert", (void **)&functions.hash_table_insert},
    {"g_hash_table_lookup", (void **)&functions.hash_table_lookup},
    {"g_hash_table_unref", (void **)&functions.hash_table_unref},
    {"g_list_free_full", (void **)&functions.list_free_full},
    {"g_error_free", (void **)&functions.error_free},
    {"g_object_unref", (void **)&functions.object_unref},
    {"g_bus_get_sync", (void **)&functions.bus_get_sync},
    {"g_dbus_proxy_set_default_timeout", (void **)&functions.proxy_set_timeout},
    {"g_dbus_proxy_get_object_path", (void **)&functions.proxy_path},
    {"g_dbus_proxy_get_cached_property", (void **)&functions.proxy_property},
    {"g_variant_n_children", (void **)&functions.variant_n_children},
    {"g_variant_unref", (void **)&functions.variant_unref},
    {"g_dbus_error_quark", (void **)&functions.bus_error_quark},
    {"g_io_error_quark", (void **)&functions.io_error_quark},
    {"secret_error_get_quark", (void **)&functions.error_quark},
    {"secret_service_get_sync", (void **)&functions.service_get_sync},
    {"secret_service_search_sync", (void **)&functions.service_search_sync},
    {"secret_service_unlock_sync", (void **)&functions.service_unlock_sync},
    {"secret_service_store_sync", (void **)&functions.service_store_sync},
    {"secret_schema_newv", (void **)&functions.schema_newv},
    {"secret_schema_unref", (void **)&functions.schema_unref},
    {"secret_value_new", (void **)&functions.value_new},
    {"secret_value_get", (void **)&functions.value_get},
    {"secret_value_unref", (void **)&functions.value_unref},
    {"secret_collection_for_alias_sync", (void **)&functions.collection_for_alias_sync},
    {"secret_collection_get_locked", (void **)&functions.collection_get_locked},
    {"secret_item_create_sync", (void **)&functions.item_create_sync},
    {"secret_item_get_locked", (void **)&functions.item_get_locked},
    {"secret_item_get_attributes", (void **)&functions.item_get_attributes},
    {"secret_item_load_secret_sync", (void **)&functions.item_load_secret_sync},
    {"secret_item_get_secret", (void **)&functions.item_get_secret},
    {"secret_item_set_secret_sync", (void **)&functions.item_set_secret_sync},
    {"secret_item_delete_sync", (void **)&functions.item_delete_sync},
};

static void load(void) {
  // Symbols of the libraries that it needs are found through its handle.
  void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    // Of glibc and of macOS: what is said of a file that is not there.
    const char *words = dlerror();
    if (words != NULL && strstr(words, "o such file") == NULL) {
      strncpy(flaw, words, sizeof flaw - 1);
    }
    return;
  }
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    *wanted[i].place = dlsym(library, wanted[i].name);
    if (*wanted[i].place == NULL) return;
  }
  is_loaded = 1;
}

const char *dbseal_libsecret_flaw(void) { return flaw[0] != 0 ? flaw : 0; }

const dbseal_libsecret *dbseal_libsecret_load(void) {
  pthread_once(&once, load);
  return is_loaded ? &functions : 0;
}
