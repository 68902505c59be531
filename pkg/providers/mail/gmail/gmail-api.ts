import { z } from 'zod';
import { CallError } from '../../call-error.ts';
import { askGoogle, type GoogleAccess } from '../../google/google-request.ts';
import { jsonOf } from '../../outside-http.ts';

/** Gmail's API, version 1. */
export const GMAIL_URL = 'https://gmail.googleapis.com/gmail/v1';

const id = z.string().min(1);
/** Gmail numbers by 64 bits and writes them as text; none is beyond what a number holds exactly. */
const number = z.coerce.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const profileShape = z.object({ emailAddress: z.string().min(3), historyId: number });
const listShape = z.object({ messages: z.array(z.object({ id })).default([]), nextPageToken: z.string().optional() });
const header = z.object({ name: z.string(), value: z.string() });

/** A part of a message as `format=full` shows it: an attachment has an id in place of its bytes. */
export interface GmailPart {
  mimeType: string;
  headers: { name: string; value: string }[];
  body?: { data?: string | undefined } | undefined;
  parts: GmailPart[];
}

const part: z.ZodType<GmailPart> = z.lazy(() =>
  z.object({
    mimeType: z.string().default(''),
    headers: z.array(header).default([]),
    body: z.object({ data: z.string().optional() }).optional(),
    parts: z.array(part).default([]),
  }),
);
const messageShape = z.object({
  id,
  threadId: z.string().default(''),
  labelIds: z.array(z.string()).default([]),
  internalDate: number.default(0),
  snippet: z.string().default(''),
  raw: z.string().optional(),
  payload: part.optional(),
});
export type GmailMessage = z.output<typeof messageShape>;
const historyShape = z.object({
  history: z
    .array(
      z.object({
        id: number,
        messagesAdded: z
          .array(z.object({ message: z.object({ id, labelIds: z.array(z.string()).default([]) }) }))
          .default([]),
      }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
  historyId: number,
});
export type HistoryPage = z.output<typeof historyShape>;
export const sentShape = z.object({ id, threadId: z.string().default('') });

/** Messages of a list, and records of history, that one answer has at most. */
const PAGE = '500';
const GONE = 404;

/** Where a mailbox lies below the API: it is always that of the token's owner. */
export const ME: readonly string[] = ['users', 'me'];

async function ask<T>(
  access: GoogleAccess,
  path: readonly string[],
  query: Record<string, string | readonly string[]>,
  shape: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T> {
  const answer = await askGoogle(access, { method: 'GET', path: [...ME, ...path], query }, signal);
  return read(jsonOf(answer, true), shape);
}

function read<T>(value: unknown, shape: z.ZodType<T>): T {
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw new CallError('busy', 'Gmail answered in another shape');
  return parsed.data;
}

/** Whose mailbox it is, and where its history stands. @throws CallError */
export function gmailProfile(
  access: GoogleAccess,
  signal: AbortSignal,
): Promise<{ emailAddress: string; historyId: number }> {
  return ask(access, ['profile'], {}, profileShape, signal);
}

/**
 * Ids of messages, newest first, page by page.
 * @param of `q` as in Gmail's search box; `labelIds`: all of these
 */
export async function* gmailIds(
  access: GoogleAccess,
  of: { q?: string; labelIds?: readonly string[]; includeSpamTrash?: 'true' },
  signal: AbortSignal,
): AsyncGenerator<string> {
  let pageToken: string | undefined;
  do {
    const query = { ...of, maxResults: PAGE, ...(pageToken === undefined ? {} : { pageToken }) };
    const page = await ask(access, ['messages'], query, listShape, signal);
    yield* page.messages.map((one) => one.id);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
}

/** One message. @returns null: it is gone @throws CallError */
export async function gmailMessage(
  access: GoogleAccess,
  messageId: string,
  query: Record<string, string | readonly string[]>,
  signal: AbortSignal,
): Promise<GmailMessage | null> {
  const path = [...ME, 'messages', messageId];
  const answer = await askGoogle(access, { method: 'GET', path, query }, signal, [GONE]);
  return answer.status === GONE ? null : read(jsonOf(answer, true), messageShape);
}

/** What came since a point of history. @returns null: Gmail does not know that point any more @throws CallError */
export async function gmailHistory(
  access: GoogleAccess,
  startHistoryId: number,
  pageToken: string | undefined,
  signal: AbortSignal,
): Promise<HistoryPage | null> {
  const query = {
    startHistoryId: String(startHistoryId),
    historyTypes: 'messageAdded',
    maxResults: PAGE,
    ...(pageToken === undefined ? {} : { pageToken }),
  };
  const answer = await askGoogle(access, { method: 'GET', path: [...ME, 'history'], query }, signal, [GONE]);
  return answer.status === GONE ? null : read(jsonOf(answer, true), historyShape);
}
