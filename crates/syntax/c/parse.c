/*
 * parse.c
 *	  The call from Rust (src/ffi.rs).
 */
#include "postgres.h"

#include "parser/parser.h"

#include "runtime.h"
#include "write.h"

/* Characters that the scanner may look at, as often as it does: so many for each there is, and so many at least. */
#define WORK_PER_CHARACTER 16
#define LEAST_WORK ((size_t) 16 * 1024 * 1024)

typedef enum Status
{
	PARSED,						/* bytes: the tree, notices */
	FAILED,						/* bytes: the error, notices */
	OUT_OF_MEMORY				/* no bytes, not even for an error */
} Status;

/* As in src/ffi.rs. */
typedef struct Request
{
	const char *text;			/* ends with a NUL */
	int32		mode;			/* RawParseMode */
	int32		backslash_quote;	/* BackslashQuoteType */
	bool		standard_conforming_strings;
	bool		escape_string_warning;
	size_t		stack;			/* bytes that may be taken of it */
	char	   *scratch;		/* memory for short statements, so that they need no malloc */
	size_t		scratch_size;
	/*
	 * Memory that the call may take for its tree. The bytes that go to Rust are a quarter of it, and Rust's own tree about as
	 * large, when C's has gone.
	 */
	size_t		memory;
} Request;

typedef struct Reply
{
	const char *bytes;
	size_t		len;
	char	   *heap;			/* to be given to syntax_free() */
	int32		deepest;		/* levels of nodes within nodes */
	bool		stack_exceeded; /* the error is that the stack was too small */
} Reply;

static void
write_report(Writer *w, const Report *report)
{
	write_int(w, report->elevel);
	write_int(w, report->sqlerrcode);
	write_int(w, report->cursorpos);
	write_string(w, report->message);
	write_string(w, report->detail);
	write_string(w, report->hint);
}

static void
write_notices(Writer *w, const Report *notices)
{
	int			count = 0;

	for (const Report *notice = notices; notice != NULL; notice = notice->next)
		count++;
	write_int(w, count);
	for (const Report *notice = notices; notice != NULL; notice = notice->next)
		write_report(w, notice);
}

/* A statement's own place stands outside of its tree: only the list of statements has such nodes. */
static void
write_statements(Writer *w, const List *list, RawParseMode mode)
{
	const ListCell *cell;

	if (mode == RAW_PARSE_TYPE_NAME)
	{
		write_list(w, list);
		return;
	}
	write_int(w, list_length(list));
	foreach(cell, list)
	{
		const RawStmt *statement = lfirst(cell);

		write_int(w, statement->stmt_location);
		write_int(w, statement->stmt_len);
		write_node(w, statement->stmt);
	}
}

static Status
parse(const Request *request, Call *call, Writer *w)
{
	if (_setjmp(call->failed) == 0)
	{
		List	   *list;

		backslash_quote = request->backslash_quote;
		standard_conforming_strings = request->standard_conforming_strings;
		escape_string_warning = request->escape_string_warning;
		list = raw_parser(request->text, request->mode);
		write_statements(w, list, request->mode);
		write_notices(w, call->notices);
		return PARSED;
	}
	/* From here on an error means that there is no memory for the words of the first. */
	call->work = SIZE_MAX;
	if (_setjmp(call->failed) == 0)
	{
		Report		report = call->report;

		w->len = 0;
		write_report(w, &report);
		write_notices(w, call->notices);
		return FAILED;
	}
	return OUT_OF_MEMORY;
}

int32
syntax_parse(const Request *request, Reply *reply)
{
	size_t		half = request->scratch_size / 2;
	Call		call = {0};
	Writer		writer = {.bytes = request->scratch + half, .capacity = request->scratch_size - half};
	Status		status;

	arena_init(&call, request->scratch, half, request->memory);
	call.stack_limit = (const char *) __builtin_frame_address(0) - request->stack;
	call.work = LEAST_WORK + WORK_PER_CHARACTER * strlen(request->text);
	current_call = &call;
	error_context_stack = NULL;
	status = parse(request, &call, &writer);
	current_call = NULL;
	arena_free(&call);
	reply->bytes = writer.bytes;
	reply->len = writer.len;
	reply->heap = writer.heap;
	reply->deepest = writer.deepest;
	reply->stack_exceeded = call.stack_exceeded;
	return status;
}

void
syntax_free(char *heap)
{
	free(heap);
}
