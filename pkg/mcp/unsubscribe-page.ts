import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../postgres/database.ts';
import { knowsUnsubscribe, unsubscribe } from '../store/suppression/unsubscribe.ts';
import type { IngressAnswer } from './ingress-answer.ts';
import { peoplePage } from './people-page.ts';

const GONE: IngressAnswer = { status: 404, body: { error: 'This address is not known.' } };
const DONE = peoplePage('You are unsubscribed.', '<p>You will get no more messages from this sender.</p>');
const ASK = peoplePage(
  'Unsubscribe?',
  '<form method="post"><button type="submit">Send me no more messages</button></form>',
);

/**
 * The address of a mail's one-click unsubscribe (RFC 8058). A POST ends it at once, without login and whatever it carries;
 * GET only shows the button, so that a scanner that follows links unsubscribes nobody.
 */
export async function answerUnsubscribe(
  { db, product }: { db: Database; product: Clock },
  request: IncomingMessage,
  secret: string,
): Promise<IngressAnswer> {
  const hash = createHash('sha256').update(secret).digest();
  if (request.method === 'POST') {
    request.resume();
    const done = await db.tx({ kind: 'platform' }, (tx) => unsubscribe(tx, product.now(), hash));
    return done ? { status: 200, body: {}, page: DONE } : GONE;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { status: 405, body: { error: 'Use GET to see it, POST to unsubscribe.' } };
  }
  const known = await db.tx({ kind: 'platform' }, (tx) => knowsUnsubscribe(tx, hash));
  return known ? { status: 200, body: {}, page: ASK } : GONE;
}
