/*
 * runtime.c
 *	  What PostgreSQL's parser asks of a backend: palloc, ereport, check_stack_depth, and the encoding, which is UTF-8.
 *
 * Nothing outlives a call but a pointer for each thread (current_call) and the parser's settings, so threads have
 * nothing in common, and none keeps memory.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "common/string.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/bitmapset.h"
#include "nodes/miscnodes.h"
#include "nodes/value.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "runtime.h"

__thread Call *current_call = NULL;
__thread ErrorContextCallback *error_context_stack = NULL;

/*
 * Memory
 *
 * pfree() gives nothing back: a call is short, and the arena goes with it.
 */

/* Before each allocation; repalloc() must know how much to copy. */
#define HEADER MAXALIGN(sizeof(size_t))
#define SIZE_OF(pointer) (*(size_t *) ((char *) (pointer) - HEADER))

/*
 * Under AddressSanitizer (build.rs) each allocation is one of malloc's and ends where it was said to end, so that reading
 * or writing beyond it is seen.
 */
#ifdef SANITIZED
#define ALONE true
#define ROUNDED(size) (size)
#else
#define ALONE false
#define ROUNDED(size) MAXALIGN(size)
#endif

#define FIRST_CHUNK ((size_t) 32 * 1024)
#define LARGEST_CHUNK ((size_t) 1024 * 1024)

void
arena_init(Call *call, char *first, size_t size, size_t limit)
{
	call->free = (char *) MAXALIGN(first);
	call->end = first + size;
	call->chunks = NULL;
	call->chunk_size = FIRST_CHUNK;
	call->taken = 0;
	call->limit = limit;
}

void
arena_free(Call *call)
{
	while (call->chunks != NULL)
	{
		Chunk	   *next = call->chunks->next;

		free(call->chunks);
		call->chunks = next;
	}
}

/* Says so in words for which no memory is needed. */
void
out_of_memory(Call *call)
{
	call->report = (Report)
	{
		.elevel = ERROR,
			.sqlerrcode = ERRCODE_OUT_OF_MEMORY,
			.message = "out of memory",
			.detail = "Parsing the statement takes more memory than there is or than one may take."
	};
	_longjmp(call->failed, 1);
}

/* Makes room for an allocation of size bytes, header included. */
static void
add_chunk(Call *call, size_t size)
{
	size_t		wanted = (ALONE ? size : Max(size, call->chunk_size)) + MAXALIGN(sizeof(Chunk));
	Chunk	   *chunk = NULL;

	if (wanted <= call->limit - call->taken)
		chunk = malloc(wanted);
	if (chunk == NULL)
		out_of_memory(call);
	chunk->next = call->chunks;
	call->chunks = chunk;
	call->taken += wanted;
	call->free = (char *) chunk + MAXALIGN(sizeof(Chunk));
	call->end = (char *) chunk + wanted;
	call->chunk_size = Min(call->chunk_size * 2, LARGEST_CHUNK);
}

void *
palloc(Size size)
{
	Call	   *call = current_call;
	size_t		whole = HEADER + ROUNDED(size);
	void	   *result;

	/* What is larger than the limit fails there, however large it is. */
	if (unlikely(ALONE || size > call->limit || whole > (size_t) (call->end - call->free)))
		add_chunk(call, Min(whole, call->limit));
	result = call->free + HEADER;
	SIZE_OF(result) = ROUNDED(size);
	call->free += whole;
	return result;
}

void *
palloc0(Size size)
{
	return memset(palloc(size), 0, size);
}

void
pfree(void *pointer)
{
}

void *
repalloc(void *pointer, Size size)
{
	void	   *result;

	if (size <= SIZE_OF(pointer))
		return pointer;
	result = palloc(size);
	return memcpy(result, pointer, SIZE_OF(pointer));
}

char *
pstrdup(const char *in)
{
	size_t		size = strlen(in) + 1;

	return memcpy(palloc(size), in, size);
}

void *
MemoryContextAlloc(MemoryContext context, Size size)
{
	return palloc(size);
}

MemoryContext
GetMemoryChunkContext(void *pointer)
{
	return NULL;
}

/*
 * Errors
 */

bool
errstart(int elevel, const char *domain)
{
	Report	   *report = &current_call->report;

	if (elevel < INFO)
		return false;
	memset(report, 0, sizeof(Report));
	report->elevel = elevel;
	report->sqlerrcode = elevel >= ERROR ? ERRCODE_INTERNAL_ERROR :
		elevel >= WARNING ? ERRCODE_WARNING : ERRCODE_SUCCESSFUL_COMPLETION;
	return true;
}

bool
errstart_cold(int elevel, const char *domain)
{
	return errstart(elevel, domain);
}

void
errfinish(const char *filename, int lineno, const char *funcname)
{
	Call	   *call = current_call;
	Report	   *notice;

	for (ErrorContextCallback *callback = error_context_stack; callback != NULL; callback = callback->previous)
		callback->callback(callback->arg);
	if (call->report.elevel >= ERROR)
		_longjmp(call->failed, 1);
	notice = palloc(sizeof(Report));
	*notice = call->report;
	notice->next = call->notices;
	call->notices = notice;
}

/* Some soft errors are looked for (an integer that is too large is a float); others are errors. */
bool
errsave_start(struct Node *context, const char *domain)
{
	if (context == NULL || !IsA(context, ErrorSaveContext))
		return errstart(ERROR, domain);
	((ErrorSaveContext *) context)->error_occurred = true;
	return false;
}

void
errsave_finish(struct Node *context, const char *filename, int lineno, const char *funcname)
{
	errfinish(filename, lineno, funcname);
}

static const char *
format(const char *fmt, va_list args)
{
	size_t		size = 128;

	for (;;)
	{
		char	   *result = palloc(size);
		va_list		again;
		size_t		needed;

		va_copy(again, args);
		needed = pvsnprintf(result, size, fmt, again);
		va_end(again);
		if (needed < size)
			return result;
		size = needed;
	}
}

#define FORMAT_INTO(field) \
	do { \
		va_list		args; \
		const char *text; \
		va_start(args, fmt); \
		text = format(fmt, args); \
		va_end(args); \
		current_call->report.field = text; \
		return 0; \
	} while (0)

int
errmsg(const char *fmt,...)
{
	FORMAT_INTO(message);
}

int
errmsg_internal(const char *fmt,...)
{
	FORMAT_INTO(message);
}

int
errdetail(const char *fmt,...)
{
	FORMAT_INTO(detail);
}

int
errhint(const char *fmt,...)
{
	FORMAT_INTO(hint);
}

int
errcode(int sqlerrcode)
{
	current_call->report.sqlerrcode = sqlerrcode;
	return 0;
}

int
errposition(int cursorpos)
{
	current_call->report.cursorpos = cursorpos;
	return 0;
}

int
geterrcode(void)
{
	return current_call->report.sqlerrcode;
}

/* PostgreSQL's words, and its default of max_stack_depth. */
void
too_complex(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
			 errmsg("stack depth limit exceeded"),
			 errhint("Increase the configuration parameter \"max_stack_depth\" (currently %dkB), "
					 "after ensuring the platform's stack depth limit is adequate.",
					 2048)));
}

/*
 * The scanner reads some characters more than once: it takes the longest run of operators' characters, then sees where
 * the operator ends. A text of many of them would keep it busy for ever (PostgreSQL too). Twice is usual.
 */
void
count_work(size_t characters)
{
	Call	   *call = current_call;

	if (unlikely(characters > call->work))
		ereport(ERROR,
				(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
				 errmsg("statement is too complex"),
				 errdetail("Its operators take too long to be found.")));
	call->work -= characters;
}

void
check_stack_depth(void)
{
	if (unlikely((const char *) __builtin_frame_address(0) < current_call->stack_limit))
	{
		current_call->stack_exceeded = true;
		too_complex();
	}
}

/*
 * Encoding
 */

int
pg_get_client_encoding(void)
{
	return PG_UTF8;
}

int
pg_database_encoding_max_length(void)
{
	return pg_wchar_table[PG_UTF8].maxmblen;
}

int
pg_mbstrlen_with_len(const char *mbstr, int limit)
{
	int			characters = 0;

	count_work(limit);
	while (limit > 0 && *mbstr)
	{
		int			length = pg_utf_mblen((const unsigned char *) mbstr);

		limit -= length;
		mbstr += length;
		characters++;
	}
	return characters;
}

/* How many of the len bytes are whole characters within limit? */
int
pg_mbcliplen(const char *mbstr, int len, int limit)
{
	int			clipped = 0;

	while (len > 0 && *mbstr)
	{
		int			length = pg_utf_mblen((const unsigned char *) mbstr);

		if (clipped + length > limit)
			break;
		clipped += length;
		len -= length;
		mbstr += length;
	}
	return clipped;
}

bool
pg_verifymbstr(const char *mbstr, int len, bool noError)
{
	int			valid = pg_wchar_table[PG_UTF8].mbverifystr((const unsigned char *) mbstr, len);
	StringInfoData bytes;

	if (valid == len)
		return true;
	if (noError)
		return false;
	initStringInfo(&bytes);
	mbstr += valid;
	len = Min(len - valid, pg_utf_mblen((const unsigned char *) mbstr));
	for (int i = 0; i < len; i++)
		appendStringInfo(&bytes, i == 0 ? "0x%02x" : " 0x%02x", (unsigned char) mbstr[i]);
	ereport(ERROR,
			(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
			 errmsg("invalid byte sequence for encoding \"%s\": %s", "UTF8", bytes.data)));
}

void
pg_unicode_to_server(pg_wchar c, unsigned char *s)
{
	if (!is_valid_unicode_codepoint(c))
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("invalid Unicode code point")));
	unicode_to_utf8(c, s);
	s[pg_utf_mblen(s)] = '\0';
}

/*
 * Catalog, of which errors about names need this much
 */

char *
NameListToString(const List *names)
{
	StringInfoData string;
	ListCell   *cell;

	initStringInfo(&string);
	foreach(cell, names)
	{
		Node	   *name = lfirst(cell);

		if (foreach_current_index(cell) > 0)
			appendStringInfoChar(&string, '.');
		appendStringInfoString(&string, IsA(name, String) ? strVal(name) : "*");
	}
	return string.data;
}

/*
 * What nodes of raw trees do not have, but the functions that copy and compare nodes know
 */

const ExtensibleNodeMethods *
GetExtensibleNodeMethods(const char *extnodename, bool missing_ok)
{
	elog(ERROR, "a raw tree has no extensible nodes");
}

Datum
datumCopy(Datum value, bool typByVal, int typLen)
{
	elog(ERROR, "a raw tree has no datums");
}

bool
datumIsEqual(Datum value1, Datum value2, bool typByVal, int typLen)
{
	elog(ERROR, "a raw tree has no datums");
}

Bitmapset *
bms_copy(const Bitmapset *a)
{
	elog(ERROR, "a raw tree has no sets");
}

bool
bms_equal(const Bitmapset *a, const Bitmapset *b)
{
	elog(ERROR, "a raw tree has no sets");
}
