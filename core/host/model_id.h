/* model_id.h - the identity of an embedding model, under which its vectors are stored: a hash of
 * the files that decide them. Hashing 24 MB takes a tenth of a second, so the answer is remembered
 * in the cache folder. Loads no model. Used by inference.c. */
#ifndef EG_HOST_MODEL_ID_H
#define EG_HOST_MODEL_ID_H

enum { EG_MODEL_ID_TEXT = 65 };

/* SHA-256, in hex, over name, length and bytes of the files of a model folder (config, tokenizer,
 * pooling, weights in one file or several; not the number format that they are computed in). A
 * remembered id counts when device, inode, size and modification time of every file are the same; a
 * cache that is broken, or of another model, is made anew; one that cannot be written costs the
 * hashing and nothing else. Thread class: any; may block. */
void eg_model_id(const char *folder, const char *cache, char out[EG_MODEL_ID_TEXT]);

#endif
