import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { readBody } from '../base/http/read-body.ts';
import type { Ids } from '../base/ids.ts';
import { usableText } from '../base/usable-text.ts';
import type { Database } from '../postgres/database.ts';
import { acceptInvitation } from '../store/tenancy/accept-invitation.ts';
import { openInvitation } from '../store/tenancy/invitations.ts';
import { cookieOf } from './console/console-cookie.ts';
import type { IngressAnswer } from './ingress-answer.ts';
import { invitationHtml } from './invitation-html.ts';

export interface InvitationServices {
  db: Database;
  product: Clock;
  ids: Ids;
}

const GONE = { status: 410, body: { error: 'This invitation was used, withdrawn or has expired. Ask for a new one.' } };
const HOW =
  'POST to this address, with {"name": "…"} as JSON; send your user key as Authorization: Bearer if you have one.';
const UNPROVEN =
  'This link did not come by mail, so it proves no address: in this workspace you have what your inviter had at most.';
const MAX_BODY = 4_096;
/** Real ms for a body of that size. */
const MAX_BODY_MS = 10_000;
const body = z.strictObject({
  name: z
    .string()
    .trim()
    .max(120)
    .refine((name) => usableText(name) === name)
    .default(''),
});

/** What a browser sends from the page's form; the key proves who is known already. */
const form = body.extend({ key: z.string().trim().max(100).default('') });

/**
 * An invitation's address. GET only shows it, so that a mail scanner that follows links accepts nothing; POST accepts
 * it once. A new address gets its user key in the answer and nowhere else.
 */
export async function answerInvitation(
  services: InvitationServices,
  request: IncomingMessage,
  token: string,
): Promise<IngressAnswer> {
  const answer = await answered(services, request, token);
  // Who followed the link of the mail sees a page; programs read JSON.
  return request.headers.accept?.includes('text/html') ? { ...answer, page: invitationHtml(answer) } : answer;
}

async function answered(services: InvitationServices, request: IncomingMessage, token: string): Promise<IngressAnswer> {
  if (request.method === 'GET' || request.method === 'HEAD') return show(services, token);
  if (request.method !== 'POST')
    return { status: 405, body: { error: 'Use GET to read an invitation, POST to accept.' } };
  const given = await givenIn(request);
  if (given === undefined)
    return { status: 400, body: { error: 'The body must be a JSON object with "name" at most.' } };
  const sent = given.key === '' ? request.headers.authorization : `Bearer ${given.key}`;
  return accept(services, token, given.name, { authorization: sent, session: ownSession(request) });
}

async function show({ db, product }: InvitationServices, token: string): Promise<IngressAnswer> {
  const found = await db.tx({ kind: 'platform' }, (tx) => openInvitation(tx, token, product.now()));
  if (!found) return GONE;
  const { workspaceName, email, role, expiresAt } = found;
  const expires = new Date(expiresAt).toISOString();
  return { status: 200, body: { workspaceName, email, role, expiresAt: expires, accept: HOW } };
}

async function accept(
  { db, product, ids }: InvitationServices,
  token: string,
  name: string,
  { authorization, session }: { authorization: string | undefined; session: string | undefined },
): Promise<IngressAnswer> {
  const userKey = /^Bearer (csu_[0-9a-f]{32})$/i.exec(authorization ?? '')?.[1];
  const done = await db.tx({ kind: 'platform' }, (tx) =>
    acceptInvitation(tx, { token, name, userKey, session, ids, now: product.now() }),
  );
  if (done.kind === 'gone') return GONE;
  if (done.kind === 'needs_key') {
    const error = `${done.email} has a user already: send a user key of theirs as Authorization: Bearer <csu_…>. Who uses the console alone makes one there (svc_create_api_key, keyType user), and accepts with it.`;
    return { status: 401, body: { error } };
  }
  const { workspaceId, workspaceName, role } = done.invitation;
  const key = done.key === null ? {} : { key: done.key, note: 'This key is shown here only.' };
  const limit = done.proven ? {} : { limit: UNPROVEN };
  const { memberId, proven } = done;
  return { status: 200, body: { workspaceId, workspaceName, memberId, role, proven, ...limit, ...key } };
}

/** The console's session that the browser has for this host, where our own page asks: a form of another site accepts nothing. */
function ownSession(request: IncomingMessage): string | undefined {
  const { origin, host } = request.headers;
  if (origin === undefined || !URL.canParse(origin) || new URL(origin).host !== host) return undefined;
  return cookieOf(request);
}

/** The parsed body, or undefined when it is no JSON or holds anything else. @throws HttpError 413, 408 */
async function givenIn(request: IncomingMessage): Promise<z.output<typeof form> | undefined> {
  const text = await readBody(request, { maxBytes: MAX_BODY, withinMs: MAX_BODY_MS });
  if (text === '') return { name: '', key: '' };
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return form.safeParse(Object.fromEntries(new URLSearchParams(text))).data;
  try {
    const given = body.safeParse(JSON.parse(text)).data;
    return given && { ...given, key: '' };
  } catch {
    return undefined;
  }
}
