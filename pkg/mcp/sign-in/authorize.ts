import type { FaceContext } from '../../base/http/http-app.ts';
import { HttpError } from '../../base/http/http-error.ts';
import { readBody } from '../../base/http/read-body.ts';
import { READING_SCOPES } from '../../domain/scopes.ts';
import { escapeHtml } from '../../domain/system-mails/mail-text.ts';
import { hasManyCodes, makeCode } from '../../store/sign-in/codes.ts';
import { countLiveGrants } from '../../store/sign-in/grants.ts';
import { requireType } from '../request-checks.ts';
import { type AnswerPlace, type AuthorizeRequest, answerPlace, readAuthorize } from './authorize-request.ts';
import { type ConsentForm, ConsentForms, choiceIn } from './consent-form.ts';
import { type AskedPerson, consentPage } from './consent-page.ts';
import { KnownClients } from './known-clients.ts';
import { CONSOLE_HOME, PATHS } from './metadata.ts';
import { OAuthError } from './oauth-error.ts';
import { OneOfEach } from './one-of-each.ts';
import { FORGET_PENDING, keepPending, pendingOf } from './pending-request.ts';
import { answerAt, placeOf } from './redirect-uris.ts';
import { answerPage } from './sign-in-page.ts';
import type { SignedInPerson, SignInServices } from './sign-in-services.ts';

/** Ms for which a page of consent may stay open. */
const FORM_MS = 600_000;
const MAX_BODY = 65_536;
const MAX_BODY_MS = 10_000;

/** Asks a person whether a client may act in their name, and sends their answer to where the client awaits it. */
export class Authorize {
  readonly #services: SignInServices;
  readonly #forms: ConsentForms;
  readonly #clients: KnownClients;

  constructor(services: SignInServices) {
    this.#services = services;
    this.#forms = new ConsentForms(services.secret);
    this.#clients = new KnownClients(services);
  }

  /** GET: the page of consent, after the sign-in of the console where nobody is signed in. */
  async ask(ctx: FaceContext, address: string): Promise<void> {
    const session = await this.#services.sessions.open(ctx.req);
    if (!session) return this.#signInFirst(ctx);
    const params = new OneOfEach(new URLSearchParams(ctx.querystring));
    let place: AnswerPlace;
    try {
      place = answerPlace(params, await this.#clients.of(params.require('client_id'), session.userId));
    } catch (error) {
      return refusePage(ctx, error);
    }
    let asked: AuthorizeRequest;
    try {
      asked = readAuthorize(params, place, address);
    } catch (error) {
      return refusePage(ctx, error, { ...place, address });
    }
    const person = askedPerson(session);
    if (!person) return wrongPage(ctx, 403, 'Nothing to open', NO_WORKSPACE);
    const form: ConsentForm = {
      consentId: this.#services.ids.uuid(),
      clientId: asked.client.id,
      clientName: asked.client.name,
      redirectUri: asked.redirectUri,
      state: asked.state,
      challenge: asked.challenge,
      address,
      until: this.#services.clocks.real.now() + FORM_MS,
    };
    const [only, ...others] = person.workspaces;
    const page = consentPage({
      person,
      form,
      signed: this.#forms.sign(form, session.sessionId),
      scopes: asked.scopes.length > 0 ? asked.scopes : READING_SCOPES,
      workspaces: only && others.length === 0 ? [only.workspaceId] : [],
    });
    answerPage(ctx, page);
  }

  /** POST: what the person decided. */
  async decide(ctx: FaceContext, address: string): Promise<void> {
    const { origin } = ctx.req.headers;
    if (origin !== undefined && origin !== address)
      throw new HttpError(403, 'Only our own page may answer for a person.');
    const fields = await formFields(ctx);
    const session = await this.#services.sessions.open(ctx.req);
    const signed = fields.get('form') ?? '';
    const form = session && this.#forms.open(signed, session.sessionId, this.#services.clocks.real.now());
    if (!session || !form) return wrongPage(ctx, 403, 'Begin again', STALE);
    if (fields.get('answer') !== 'allow')
      return sendBack(ctx, form, { error: 'access_denied', error_description: 'The person said no.' });
    const person = askedPerson(session);
    if (!person) return wrongPage(ctx, 403, 'Nothing to open', NO_WORKSPACE);
    const choice = choiceIn(fields, person.workspaces);
    const again = (wrong: string): void => answerPage(ctx, consentPage({ person, form, signed, ...choice, wrong }));
    if (choice.workspaces.length === 0) return again('Choose at least one workspace.');
    if (choice.scopes.length === 0) return again('Choose at least one thing that it may read.');
    const { db, maxGrants } = this.#services;
    const made = await db.tx({ kind: 'platform' }, async (tx) => {
      if ((await countLiveGrants(tx, session.userId)) >= maxGrants) return 'full';
      if (await hasManyCodes(tx, session.userId)) return 'many';
      return { code: await makeCode(tx, { ...form, ...choice, userId: session.userId }) };
    });
    if (made === 'full') return again(`You have allowed ${maxGrants} clients already. End one among your keys first.`);
    if (made === 'many') return again('You have answered this very often today. Come back tomorrow.');
    if (made.code === undefined) return wrongPage(ctx, 409, 'Answered already', ANSWERED);
    return sendBack(ctx, form, { code: made.code });
  }

  /** GET of the console: who is signed in by now goes on to the page of consent that they came for. @returns false: to the console */
  async resume(ctx: FaceContext): Promise<boolean> {
    const query = ctx.method === 'GET' ? pendingOf(ctx.req) : undefined;
    if (query === undefined || !(await this.#services.sessions.open(ctx.req))) return false;
    ctx.set('cache-control', 'no-store');
    ctx.append('set-cookie', FORGET_PENDING);
    ctx.status = 303;
    ctx.set('location', `${PATHS.authorize}?${query}`);
    return true;
  }

  #signInFirst(ctx: FaceContext): void {
    const pending = keepPending(ctx.querystring);
    if (pending === undefined) {
      wrongPage(ctx, 403, 'Sign in first', SIGN_IN);
      return;
    }
    ctx.set('cache-control', 'no-store');
    ctx.append('set-cookie', pending);
    ctx.status = 303;
    ctx.set('location', CONSOLE_HOME);
  }
}

/** Workspaces that a person chooses from; the first ones that they joined. */
const MOST_WORKSPACES = 500;

/** Who is asked, as their session was just read; undefined: there is no workspace that they could open. */
function askedPerson({ authenticated: { caller } }: SignedInPerson): AskedPerson | undefined {
  const { user } = caller;
  const workspaces = caller.workspaces.slice(0, MOST_WORKSPACES);
  return user && workspaces.length > 0 ? { name: user.name, email: user.email, workspaces } : undefined;
}

const STALE = 'This page is too old, or somebody else is signed in now. Begin again in your chat client.';
const ANSWERED = 'This page was answered before. If your chat client is not connected, begin again there.';
const SIGN_IN = 'Sign in to the console first, then begin again in your chat client.';
const NO_WORKSPACE = 'You are a member of no workspace, so there is nothing that a client could open.';

/** What the form of the page sent. @throws HttpError 413, 408, 415 */
export async function formFields({ req }: FaceContext, maxBytes = MAX_BODY): Promise<URLSearchParams> {
  requireType(req, 'application/x-www-form-urlencoded');
  return new URLSearchParams(await readBody(req, { maxBytes, withinMs: MAX_BODY_MS }));
}

/** Sends the person back to the client, which learns who answered (RFC 9207). */
function sendBack(
  ctx: FaceContext,
  { redirectUri, state, address }: Pick<ConsentForm, 'redirectUri' | 'state' | 'address'>,
  told: Readonly<Record<string, string>>,
): void {
  ctx.status = 303;
  ctx.set({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  ctx.set('location', answerAt(redirectUri, { ...told, state, iss: address }));
}

/**
 * A request that is wrong is told to the person; the client hears of it when they go back. Nobody is sent on unasked: an address that
 * a stranger registered would make a redirect of ours to anywhere. Source: RFC 9700, 4.11.2.
 */
function refusePage(ctx: FaceContext, error: unknown, place?: AnswerPlace & { address: string }): void {
  if (!(error instanceof OAuthError)) throw error;
  const text = `<p>${escapeHtml(error.message)}</p>`;
  const title = 'This client asked for something that is not possible';
  if (!place) {
    answerPage(ctx, { status: error.status, title, content: text });
    return;
  }
  const told = { error: error.code, error_description: error.message, state: place.state, iss: place.address };
  const back = escapeHtml(answerAt(place.redirectUri, told));
  const name = escapeHtml(placeOf(place.redirectUri).name);
  const content = `${text}<p><a rel="noreferrer" href="${back}">Go back to ${name}</a></p>`;
  answerPage(ctx, { status: error.status, title, content });
}

function wrongPage(ctx: FaceContext, status: number, title: string, text: string): void {
  answerPage(ctx, { status, title, content: `<p>${escapeHtml(text)}</p>` });
}
