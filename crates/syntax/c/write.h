/*
 * write.h
 *	  A raw tree as bytes that Rust reads (src/read.rs): a node is its number (0 for none), then its fields in their
 *	  order, without names or lengths; integers as the machine has them.
 */
#ifndef SYNTAX_WRITE_H
#define SYNTAX_WRITE_H

#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

typedef struct Writer
{
	char	   *bytes;
	size_t		len;
	size_t		capacity;
	char	   *heap;			/* where bytes are, once they have outgrown what the caller gave */
	int			depth;			/* of the node being written */
	int			deepest;
} Writer;

extern void write_room(Writer *w, size_t more);
extern void write_string(Writer *w, const char *string);
extern void write_list(Writer *w, const List *list);
extern void write_value(Writer *w, const Node *value);
extern void write_constant(Writer *w, const A_Const *constant);

/* Around what a node holds: a tree must not be deeper than what walks it has stack for. */
extern void write_enter(Writer *w);
extern void write_leave(Writer *w);

/* Any node, or none (write_nodes.c). */
extern void write_node(Writer *w, const void *node);

static inline void
write_int(Writer *w, int32 value)
{
	if (unlikely(w->capacity - w->len < sizeof(value)))
		write_room(w, sizeof(value));
	memcpy(w->bytes + w->len, &value, sizeof(value));
	w->len += sizeof(value);
}

static inline void
write_long(Writer *w, int64 value)
{
	if (unlikely(w->capacity - w->len < sizeof(value)))
		write_room(w, sizeof(value));
	memcpy(w->bytes + w->len, &value, sizeof(value));
	w->len += sizeof(value);
}

static inline void
write_byte(Writer *w, uint8 value)
{
	if (unlikely(w->capacity == w->len))
		write_room(w, 1);
	w->bytes[w->len++] = (char) value;
}

#endif
