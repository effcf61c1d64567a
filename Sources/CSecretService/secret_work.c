// What the thread does: finds items of the service, and reads, makes, changes and removes them. A
// service may show nothing of a collection that is locked: what is not found in one that shows nothing is
// not said to be absent, and a new item is made by none but a search after the unlocking.
#include "secret_work.h"

// Takes the words out of an error and says what kind of failure it is.
static dbseal_secret_status failed(dbseal_secret_work *work, dbseal_gerror *error) {
  if (error == NULL) return DBSEAL_SECRET_FAILED;
  const dbseal_libsecret *lib = work->lib;
  const char *words = error->message != NULL ? error->message : "";
  strncpy(work->request.message, words, sizeof work->request.message - 1);
  int code = error->domain == lib->error_quark() ? error->code : 0;
  int bus_code = error->domain == lib->bus_error_quark() ? error->code : 0;
  int io_code = error->domain == lib->io_error_quark() ? error->code : 0;
  lib->error_free(error);
  if (code == 2 /* IS_LOCKED */) return DBSEAL_SECRET_LOCKED;
  if (io_code == 24 || bus_code == 12 || bus_code == 20) return DBSEAL_SECRET_TIMED_OUT;
  // One that is installed and could not be started (SPAWN_...) is there, and may have keys.
  if (bus_code == 2 /* SERVICE_UNKNOWN */ || bus_code == 3 /* NAME_HAS_NO_OWNER */ ||
      bus_code == 31 /* SPAWN_SERVICE_NOT_FOUND */) {
    return DBSEAL_SECRET_NO_SERVICE;
  }
  int is_absent = code == 3 /* NO_SUCH_OBJECT */ || bus_code == 41 /* UNKNOWN_OBJECT */ ||
                  bus_code == 19 /* UNKNOWN_METHOD, of an object that is not there */;
  return is_absent ? DBSEAL_SECRET_NO_COLLECTION : DBSEAL_SECRET_FAILED;
}

// The same of a call that changes something: without an answer, nobody knows whether it did.
static dbseal_secret_status failed_change(dbseal_secret_work *work, dbseal_gerror *error) {
  const dbseal_libsecret *lib = work->lib;
  int is_of_bus = error != NULL && error->domain == lib->bus_error_quark();
  int is_of_io = error != NULL && error->domain == lib->io_error_quark();
  // The service or the bus ended.
  int code = error != NULL ? error->code : 0;
  int is_cut = (is_of_bus && (code == 4 /* NO_REPLY */ || code == 15 /* DISCONNECTED */)) ||
               (is_of_io && code == 18 /* CLOSED */);
  dbseal_secret_status status = failed(work, error);
  return is_cut || status == DBSEAL_SECRET_TIMED_OUT ? DBSEAL_SECRET_UNANSWERED : status;
}

// Whether something may be changed now: once it is, the caller waits for the end of it.
static int may_change(dbseal_secret_work *work) { return work->may_change(work->context); }

static int is_kept(const dbseal_secret_work *work) {
  return work->request.action == DBSEAL_SECRET_ADD || work->request.action == DBSEAL_SECRET_STORE;
}

static void *attributes(dbseal_secret_work *work) {
  const dbseal_libsecret *lib = work->lib;
  void *table = lib->hash_table_new(lib->str_hash, lib->str_equal);
  lib->hash_table_insert(table, "service", "dbseal");
  if (work->request.account != NULL) {
    lib->hash_table_insert(table, "account", (void *)work->request.account);
  }
  return table;
}

static dbseal_secret_status answer(dbseal_secret_work *work, void *item) {
  const dbseal_libsecret *lib = work->lib;
  dbseal_gerror *error = NULL;
  if (!lib->item_load_secret_sync(item, NULL, &error)) return failed(work, error);
  void *value = lib->item_get_secret(item);
  if (value == NULL) return DBSEAL_SECRET_LOCKED;
  size_t size = 0;
  const char *bytes = lib->value_get(value, &size);
  work->request.answer = dbseal_secret_copy(bytes != NULL ? bytes : "", bytes != NULL ? size : 0);
  work->request.answer_size = bytes != NULL ? size : 0;
  lib->value_unref(value);
  return work->request.answer == NULL ? DBSEAL_SECRET_FAILED : DBSEAL_SECRET_DONE;
}

// All items of the name, or of all names.
static dbseal_glist *search(
    dbseal_secret_work *work, void *service, int flags, dbseal_gerror **error) {
  void *table = attributes(work);
  dbseal_glist *items =
      work->lib->service_search_sync(service, NULL, table, flags, NULL, error);
  work->lib->hash_table_unref(table);
  for (dbseal_glist *each = items; each != NULL; each = each->next) {
    work->lib->proxy_set_timeout(each->data, work->request.milliseconds);
  }
  return items;
}

// Whether another process made an item of that name while `own` was made. Then there are two keys, and
// nobody uses ours yet.
static int is_one_of_several(dbseal_secret_work *work, void *service, void *own) {
  const dbseal_libsecret *lib = work->lib;
  const char *path = lib->proxy_path(own);
  dbseal_gerror *error = NULL;
  dbseal_glist *items = search(work, service, 2 /* ALL */, &error);
  if (error != NULL) lib->error_free(error);
  int others = 0;
  for (dbseal_glist *each = items; each != NULL; each = each->next) {
    others += path != NULL && strcmp(lib->proxy_path(each->data), path) != 0;
  }
  lib->list_free_full(items, lib->object_unref);
  return others > 0;
}

// Makes an item, and never changes one: none was found.
static dbseal_secret_status make(
    dbseal_secret_work *work, void *service, void *collection, void *value) {
  if (!may_change(work)) return DBSEAL_SECRET_STOPPED;
  const dbseal_libsecret *lib = work->lib;
  dbseal_gerror *error = NULL;
  char label[300] = "dbseal: ";
  strncat(label, work->request.account, sizeof label - strlen(label) - 1);
  void *types = lib->hash_table_new(lib->str_hash, lib->str_equal);
  lib->hash_table_insert(types, "service", NULL);
  lib->hash_table_insert(types, "account", NULL);
  // The schema that secret-tool gives its items, so that each finds the other's.
  void *schema = lib->schema_newv("org.freedesktop.Secret.Generic", 2, types);
  void *table = attributes(work);
  void *item = NULL;
  int stored;
  if (collection != NULL) {
    item = lib->item_create_sync(
        collection, schema, table, label, value, 0 /* no REPLACE */, NULL, &error);
    stored = item != NULL;
  } else {
    // It asks for a collection to be made, in which there is nothing yet.
    stored = lib->service_store_sync(
        service, schema, table, NULL, label, value, NULL, &error);
  }
  lib->hash_table_unref(table);
  lib->hash_table_unref(types);
  lib->schema_unref(schema);
  if (!stored) return failed_change(work, error);
  dbseal_secret_status status = DBSEAL_SECRET_DONE;
  if (item != NULL && is_one_of_several(work, service, item)) {
    status = lib->item_delete_sync(item, NULL, &error) ? DBSEAL_SECRET_EXISTS
                                                       : failed_change(work, error);
  }
  if (item != NULL) lib->object_unref(item);
  return status;
}

static dbseal_secret_status store(
    dbseal_secret_work *work, void *service, void *collection, void *item) {
  const dbseal_libsecret *lib = work->lib;
  dbseal_gerror *error = NULL;
  void *value = lib->value_new(
      work->request.secret, (long)work->request.secret_size, "text/plain");
  if (value == NULL) return DBSEAL_SECRET_FAILED;
  dbseal_secret_status status =
      item == NULL        ? make(work, service, collection, value)
      : !may_change(work) ? DBSEAL_SECRET_STOPPED
      : lib->item_set_secret_sync(item, value, NULL, &error) ? DBSEAL_SECRET_DONE
                                                             : failed_change(work, error);
  lib->value_unref(value);
  return status;
}

static dbseal_secret_status names(dbseal_secret_work *work, dbseal_glist *items) {
  const dbseal_libsecret *lib = work->lib;
  for (dbseal_glist *each = items; each != NULL; each = each->next) {
    void *table = lib->item_get_attributes(each->data);
    const char *name = table != NULL ? lib->hash_table_lookup(table, "account") : NULL;
    if (name != NULL) {
      size_t size = strlen(name) + 1;
      char *longer = realloc(work->request.answer, work->request.answer_size + size);
      if (longer != NULL) {
        memcpy(longer + work->request.answer_size, name, size);
        work->request.answer = longer;
        work->request.answer_size += size;
      }
    }
    if (table != NULL) lib->hash_table_unref(table);
  }
  return DBSEAL_SECRET_DONE;
}

// The secret of an item, loaded; NULL where it cannot be.
static void *secret_of(dbseal_secret_work *work, void *item) {
  dbseal_gerror *error = NULL;
  if (!work->lib->item_load_secret_sync(item, NULL, &error)) {
    failed(work, error);
    return NULL;
  }
  return work->lib->item_get_secret(item);
}

// Whether all items hold one secret; not where one of them cannot be read.
static int are_alike(dbseal_secret_work *work, dbseal_glist *items) {
  const dbseal_libsecret *lib = work->lib;
  if (items == NULL || items->next == NULL) return 1;
  void *first = secret_of(work, items->data);
  int alike = first != NULL;
  for (dbseal_glist *each = items->next; alike && each != NULL; each = each->next) {
    void *value = secret_of(work, each->data);
    size_t size = 0, first_size = 0;
    const char *bytes = value != NULL ? lib->value_get(value, &size) : NULL;
    const char *first_bytes = lib->value_get(first, &first_size);
    alike = bytes != NULL && first_bytes != NULL && size == first_size &&
            memcmp(bytes, first_bytes, size) == 0;
    if (value != NULL) lib->value_unref(value);
  }
  if (first != NULL) lib->value_unref(first);
  return alike;
}

static dbseal_secret_status delete_all(dbseal_secret_work *work, dbseal_glist *items) {
  // One of them may be the only copy of a key.
  if (!are_alike(work, items)) return DBSEAL_SECRET_SEVERAL;
  if (items != NULL && !may_change(work)) return DBSEAL_SECRET_STOPPED;
  for (dbseal_glist *each = items; each != NULL; each = each->next) {
    dbseal_gerror *error = NULL;
    if (!work->lib->item_delete_sync(each->data, NULL, &error)) {
      return failed_change(work, error);
    }
  }
  return items == NULL ? DBSEAL_SECRET_ABSENT : DBSEAL_SECRET_DONE;
}

static dbseal_secret_status act(
    dbseal_secret_work *work, void *service, void *collection, dbseal_glist *items) {
  const dbseal_libsecret *lib = work->lib;
  int action = work->request.action;
  if (action == DBSEAL_SECRET_LIST) return names(work, items);
  for (dbseal_glist *each = items; each != NULL; each = each->next) {
    if (lib->item_get_locked(each->data)) return DBSEAL_SECRET_LOCKED;
  }
  if (action == DBSEAL_SECRET_DELETE) return delete_all(work, items);
  if (action == DBSEAL_SECRET_ADD && items != NULL) return DBSEAL_SECRET_EXISTS;
  if (items != NULL && items->next != NULL) return DBSEAL_SECRET_SEVERAL;
  if (is_kept(work)) return store(work, service, collection, items ? items->data : NULL);
  return items == NULL ? DBSEAL_SECRET_ABSENT : answer(work, items->data);
}

// Whether the collection is locked and shows no items. KeePassXC shows none while it is locked; GNOME
// Keyring and KWallet show all, so that what they do not show is not there.
static int hides_items(dbseal_secret_work *work, void *collection) {
  const dbseal_libsecret *lib = work->lib;
  if (collection == NULL || !lib->collection_get_locked(collection)) return 0;
  void *items = lib->proxy_property(collection, "Items");
  int is_empty = items == NULL || lib->variant_n_children(items) == 0;
  if (items != NULL) lib->variant_unref(items);
  return is_empty;
}

// Has the collection's password asked for, where somebody may be asked.
static dbseal_secret_status unlock(dbseal_secret_work *work, void *service, void *collection) {
  if (work->request.is_quiet) return DBSEAL_SECRET_LOCKED;
  dbseal_gerror *error = NULL;
  dbseal_glist one = {collection, NULL, NULL};
  int count = work->lib->service_unlock_sync(service, &one, NULL, NULL, &error);
  if (error != NULL) return failed(work, error);
  return count > 0 ? DBSEAL_SECRET_DONE : DBSEAL_SECRET_LOCKED;
}

static dbseal_secret_status find_and_act(
    dbseal_secret_work *work, void *service, void *collection) {
  const dbseal_libsecret *lib = work->lib;
  int action = work->request.action;
  int hides = hides_items(work, collection);
  // The search itself would open a dialog of KeePassXC's, and names are listed without one.
  if (hides && action == DBSEAL_SECRET_LIST) return DBSEAL_SECRET_DONE;
  if (hides || (is_kept(work) && collection != NULL && lib->collection_get_locked(collection))) {
    dbseal_secret_status status = unlock(work, service, collection);
    if (status != DBSEAL_SECRET_DONE) return status;
  }
  int asks = action != DBSEAL_SECRET_LIST && !work->request.is_quiet;
  dbseal_gerror *error = NULL;
  dbseal_glist *items = search(work, service, 2 /* ALL */ | (asks ? 4 /* UNLOCK */ : 0), &error);
  dbseal_secret_status status =
      error != NULL ? failed(work, error) : act(work, service, collection, items);
  lib->list_free_full(items, lib->object_unref);
  return status;
}

// The collection that new items go to; NULL where there is none.
static dbseal_secret_status find_default(
    dbseal_secret_work *work, void *service, void **collection) {
  const dbseal_libsecret *lib = work->lib;
  dbseal_gerror *error = NULL;
  *collection = lib->collection_for_alias_sync(service, "default", 0, NULL, &error);
  if (*collection != NULL) lib->proxy_set_timeout(*collection, work->request.milliseconds);
  if (error == NULL) return DBSEAL_SECRET_DONE;
  dbseal_secret_status status = failed(work, error);
  return status == DBSEAL_SECRET_NO_COLLECTION ? DBSEAL_SECRET_DONE : status;
}

static dbseal_secret_status serve(dbseal_secret_work *work, void *service) {
  const dbseal_libsecret *lib = work->lib;
  if (work->request.action == DBSEAL_SECRET_PROBE) return DBSEAL_SECRET_DONE;
  lib->proxy_set_timeout(service, work->request.milliseconds);
  void *collection = NULL;
  dbseal_secret_status status = find_default(work, service, &collection);
  if (status == DBSEAL_SECRET_DONE) {
    if (work->request.action != DBSEAL_SECRET_STATE) {
      status = find_and_act(work, service, collection);
    } else if (collection == NULL) {
      status = DBSEAL_SECRET_ABSENT;
    } else if (lib->collection_get_locked(collection)) {
      // Asks nobody for a password.
      status = DBSEAL_SECRET_LOCKED;
    }
  }
  if (collection != NULL) lib->object_unref(collection);
  return status;
}

// Nobody listens there, or somebody does and cannot be talked to.
static dbseal_secret_status no_bus(dbseal_secret_work *work, dbseal_gerror *error) {
  int is_io = error != NULL && error->domain == work->lib->io_error_quark();
  int is_absent =
      is_io && (error->code == 1 /* NOT_FOUND */ || error->code == 39 /* CONNECTION_REFUSED */);
  dbseal_secret_status status = failed(work, error);
  return is_absent                             ? DBSEAL_SECRET_NO_BUS
         : status == DBSEAL_SECRET_TIMED_OUT ? status
                                               : DBSEAL_SECRET_BAD_BUS;
}

dbseal_secret_status dbseal_secret_work_run(dbseal_secret_work *work) {
  const dbseal_libsecret *lib = work->lib;
  dbseal_gerror *error = NULL;
  void *bus = lib->bus_get_sync(2 /* SESSION */, NULL, &error);
  if (bus == NULL) return no_bus(work, error);
  void *service = lib->service_get_sync(2 /* OPEN_SESSION */, NULL, &error);
  lib->object_unref(bus);
  // A service that is there and fails may have the key; it is not one that is not there.
  if (service == NULL) return failed(work, error);
  dbseal_secret_status status = serve(work, service);
  lib->object_unref(service);
  if (status == DBSEAL_SECRET_NO_COLLECTION && !is_kept(work)) return DBSEAL_SECRET_FAILED;
  return status;
}
