// The functions of libsecret and GLib that are called, as pointers: their headers are not needed to
// build. Objects are `void *`; of two small structs the public beginning is declared.
#ifndef DBSEAL_LIBSECRET_H
#define DBSEAL_LIBSECRET_H
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t domain;
  int code;
  char *message;
} dbseal_gerror;

typedef struct dbseal_glist {
  void *data;
  struct dbseal_glist *next, *previous;
} dbseal_glist;

typedef struct {
  unsigned (*str_hash)(const void *);
  int (*str_equal)(const void *, const void *);
  void *(*hash_table_new)(unsigned (*)(const void *), int (*)(const void *, const void *));
  int (*hash_table_insert)(void *table, void *key, void *value);
  void *(*hash_table_lookup)(void *table, const void *key);
  void (*hash_table_unref)(void *table);
  void (*list_free_full)(dbseal_glist *list, void (*free)(void *));
  void (*error_free)(dbseal_gerror *error);
  void (*object_unref)(void *object);

  void *(*bus_get_sync)(int type, void *cancellable, dbseal_gerror **error);
  void (*proxy_set_timeout)(void *proxy, int milliseconds);
  const char *(*proxy_path)(void *proxy);
  void *(*proxy_property)(void *proxy, const char *name);
  size_t (*variant_n_children)(void *variant);
  void (*variant_unref)(void *variant);
  uint32_t (*bus_error_quark)(void);
  uint32_t (*io_error_quark)(void);
  uint32_t (*error_quark)(void);
  void *(*service_get_sync)(int flags, void *cancellable, dbseal_gerror **error);
  dbseal_glist *(*service_search_sync)(
      void *service, const void *schema, void *attributes, int flags, void *cancellable,
      dbseal_gerror **error);
  int (*service_unlock_sync)(
      void *service, dbseal_glist *objects, void *cancellable, dbseal_glist **unlocked,
      dbseal_gerror **error);
  int (*service_store_sync)(
      void *service, const void *schema, void *attributes, const char *collection,
      const char *label, void *value, void *cancellable, dbseal_gerror **error);
  void *(*schema_newv)(const char *name, int flags, void *names_and_types);
  void (*schema_unref)(void *schema);
  void *(*value_new)(const char *secret, long length, const char *content_type);
  const char *(*value_get)(void *value, size_t *length);
  void (*value_unref)(void *value);
  void *(*collection_for_alias_sync)(
      void *service, const char *alias, int flags, void *cancellable, dbseal_gerror **error);
  int (*collection_get_locked)(void *collection);
  void *(*item_create_sync)(
      void *collection, const void *schema, void *attributes, const char *label, void *value,
      int flags, void *cancellable, dbseal_gerror **error);
  int (*item_get_locked)(void *item);
  void *(*item_get_attributes)(void *item);
  int (*item_load_secret_sync)(void *item, void *cancellable, dbseal_gerror **error);
  void *(*item_get_secret)(void *item);
  int (*item_set_secret_sync)(
      void *item, void *value, void *cancellable, dbseal_gerror **error);
  int (*item_delete_sync)(void *item, void *cancellable, dbseal_gerror **error);
} dbseal_libsecret;

// The functions of the library on this machine, or NULL where there is none.
const dbseal_libsecret *dbseal_libsecret_load(void);

// After that: why it could not be loaded although it is there; NULL where it is not there.
const char *dbseal_libsecret_flaw(void);
#endif
