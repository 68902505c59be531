import type { IncomingMessage } from 'node:http';
import { NEVER } from '../base/clock.ts';
import { oauthTraveller } from '../store/integrations/oauth-grants.ts';
import { redirectUriOf } from '../tools/integrations/oauth/begin-oauth.ts';
import { finishOauth } from '../tools/integrations/oauth/finish-oauth.ts';
import type { Connections } from '../tools/tool-context.ts';
import type { IngressAnswer } from './ingress-answer.ts';
import type { InvitationServices } from './invitation-page.ts';
import { peoplePage } from './people-page.ts';

/** What the return from vendors needs. */
export interface OauthServices {
  connections: Connections;
  /** Public address of the ingress, without a slash at its end. */
  ingressUrl: () => string;
}

const page = (status: number, title: string, text: string): IngressAnswer => ({
  status,
  body: { title },
  page: peoplePage(title, `<p>${escaped(text)}</p>`),
});
const GONE = page(
  410,
  'This way has ended.',
  'It was used, or is older than ten minutes, or who began it may not connect any more. Ask for a new link.',
);

/**
 * Where a vendor sends a member back to, with a code. GET only asks whose workspace is to be connected, so that neither a link preview
 * nor somebody who was lured here connects a CRM to a workspace that is not theirs; POST uses the code, once.
 */
export async function answerOauthReturn(
  { db, product }: InvitationServices,
  { connections, ingressUrl }: OauthServices,
  request: IncomingMessage,
): Promise<IngressAnswer> {
  const { searchParams } = new URL(request.url ?? '', 'http://ingress');
  const state = searchParams.get('state') ?? '';
  const code = searchParams.get('code');
  const traveller = await db.tx({ kind: 'platform' }, (tx) => oauthTraveller(tx, state));
  if (!traveller) return GONE;
  const { provider, workspaceName, by } = traveller;
  if (code === null)
    return page(400, 'Nothing was connected.', `${provider} was not allowed. Ask for a new link to try again.`);
  if (request.method === 'GET' || request.method === 'HEAD') {
    const text = `<p>${escaped(whatFor(provider, workspaceName, by))}</p>`;
    const button = '<form method="post"><button type="submit">Connect</button></form>';
    return { status: 200, body: {}, page: peoplePage(`Connect ${escaped(provider)}?`, text + button) };
  }
  if (request.method !== 'POST') return { status: 405, body: { error: 'Use GET to see it, POST to connect.' } };
  request.resume();
  const redirectUri = redirectUriOf(ingressUrl());
  const done = await finishOauth({ db, connections, redirectUri, now: product.now(), signal: NEVER }, state, code);
  if (done === null) return GONE;
  if ('refused' in done)
    return page(502, 'Nothing was connected.', `${done.refused}. Ask for a new link to try again.`);
  return page(200, 'Connected.', 'You can close this page.');
}

/** What becomes of what is allowed. */
function whatFor(provider: string, workspaceName: string, by: string): string {
  const workspace = `the workspace "${workspaceName}"`;
  if (provider === 'google')
    return `Meetings of ${workspace} will be read from and written to the Google calendar that you chose, as ${by} asked.`;
  if (provider === 'gmail')
    return `Mails of ${workspace} will be sent from the Gmail account that you chose, and what comes to it will be read for answers, as ${by} asked.`;
  return `The people of this ${provider} account will be known in ${workspace}, as ${by} asked.`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
