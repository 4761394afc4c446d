/*
 * write.c
 *	  What write_nodes.c, which is generated, is made of.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/value.h"

#include "runtime.h"
#include "write.h"

/*
 * Levels of nodes within nodes. PostgreSQL's limit is the stack of what walks the tree: it takes 9,000 casts of one
 * value, 4,000 NOTs and 3,000 additions. 3,300 subqueries in one another, more than which overflow the grammar's own
 * stack, are 10,000 levels.
 */
#define MAX_DEPTH 20000

void
write_enter(Writer *w)
{
	check_stack_depth();
	if (++w->depth > MAX_DEPTH)
		too_complex();
	w->deepest = Max(w->deepest, w->depth);
}

void
write_leave(Writer *w)
{
	w->depth--;
}

void
write_room(Writer *w, size_t more)
{
	size_t		capacity = Max(2 * w->capacity, w->len + more);
	char	   *heap = NULL;

	if (capacity <= current_call->limit)
		heap = realloc(w->heap, capacity);
	if (heap == NULL)
		out_of_memory(current_call);
	if (w->heap == NULL)
		memcpy(heap, w->bytes, w->len);
	w->heap = w->bytes = heap;
	w->capacity = capacity;
}

/* The length -1 says that there is none. */
void
write_string(Writer *w, const char *string)
{
	size_t		len;

	if (string == NULL)
	{
		write_int(w, -1);
		return;
	}
	len = strlen(string);
	write_int(w, (int32) len);
	if (unlikely(w->capacity - w->len < len))
		write_room(w, len);
	memcpy(w->bytes + w->len, string, len);
	w->len += len;
}

void
write_list(Writer *w, const List *list)
{
	const ListCell *cell;

	write_int(w, list_length(list));
	foreach(cell, list)
		write_node(w, lfirst(cell));
}

/* The numbers are those of read.rs; nodes follow in write_nodes.c. */
void
write_value(Writer *w, const Node *value)
{
	switch (nodeTag(value))
	{
		case T_Integer:
			write_byte(w, 1);
			write_int(w, intVal(value));
			break;
		case T_Float:
			write_byte(w, 2);
			write_string(w, ((const Float *) value)->fval);
			break;
		case T_Boolean:
			write_byte(w, 3);
			write_byte(w, boolVal(value));
			break;
		case T_String:
			write_byte(w, 4);
			write_string(w, strVal(value));
			break;
		case T_BitString:
			write_byte(w, 5);
			write_string(w, ((const BitString *) value)->bsval);
			break;
		default:
			elog(ERROR, "unrecognized node type: %d", (int) nodeTag(value));
	}
}

/* NULL is no value. */
void
write_constant(Writer *w, const A_Const *constant)
{
	if (constant->isnull)
		write_byte(w, 0);
	else
		write_value(w, &constant->val.node);
}
