/*
 * runtime.h
 *	  The backend that PostgreSQL's parser finds here: memory that is freed at once when a call ends, and errors that
 *	  end the call (runtime.c).
 */
#ifndef SYNTAX_RUNTIME_H
#define SYNTAX_RUNTIME_H

#include <setjmp.h>

/* What ereport() was told. */
typedef struct Report
{
	struct Report *next;
	int			elevel;
	int			sqlerrcode;
	int			cursorpos;		/* in characters, from 1; 0: none */
	const char *message;
	const char *detail;
	const char *hint;
} Report;

/* One piece of the arena. */
typedef struct Chunk
{
	struct Chunk *next;
} Chunk;

/* One call of the parser. */
typedef struct Call
{
	jmp_buf		failed;
	Report		report;			/* being made, or why the call failed */
	Report	   *notices;		/* the latest first */
	const char *stack_limit;	/* the stack must not grow below */
	bool		stack_exceeded;	/* it would have; with more of it the call may succeed */

	size_t		work;			/* characters that may still be looked at */

	/* The arena. */
	char	   *free;
	char	   *end;
	Chunk	   *chunks;
	size_t		chunk_size;		/* of the next one */
	size_t		taken;			/* by all chunks */
	size_t		limit;
} Call;

extern __thread Call *current_call;

extern void arena_init(Call *call, char *first, size_t size, size_t limit);
extern void arena_free(Call *call);
pg_noreturn extern void out_of_memory(Call *call);
pg_noreturn extern void too_complex(void);

#endif
