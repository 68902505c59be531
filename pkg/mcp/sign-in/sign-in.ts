import { answerJson, type FaceContext } from '../../base/http/http-app.ts';
import { HttpError } from '../../base/http/http-error.ts';
import { FailingAddresses } from '../failing-addresses.ts';
import { Authorize, formFields } from './authorize.ts';
import { PATHS, resourceMetadata, serverMetadata } from './metadata.ts';
import { OAuthError } from './oauth-error.ts';
import { OneOfEach } from './one-of-each.ts';
import { Register } from './register.ts';
import { signInAddress } from './sign-in-address.ts';
import type { SignInServices } from './sign-in-services.ts';
import { Tokens } from './token.ts';

const MAX_BODY = 16_384;

type Handler = (ctx: FaceContext, address: string) => Promise<void> | void;

/** The sign-in of clients of MCP beside keys (OAuth 2.1): a person allows a client, and what it gets is a key. */
export class SignIn {
  readonly #publicUrl: string | undefined;
  readonly #register: Register;
  readonly #tokens: Tokens;
  readonly #authorize: Authorize;
  readonly #failing = new FailingAddresses();
  readonly #handlers: ReadonlyMap<string, Readonly<Record<string, Handler>>>;

  constructor(services: SignInServices) {
    this.#publicUrl = services.publicUrl;
    this.#register = new Register(services);
    this.#tokens = new Tokens(services);
    const authorize = new Authorize(services);
    this.#authorize = authorize;
    const resource: Handler = (ctx, address) => answerJson(ctx, 200, resourceMetadata(address));
    const server: Handler = (ctx, address) => answerJson(ctx, 200, serverMetadata(address));
    this.#handlers = new Map<string, Readonly<Record<string, Handler>>>([
      [PATHS.resource, { GET: resource }],
      [`${PATHS.resource}/mcp`, { GET: resource }],
      [PATHS.server, { GET: server }],
      [
        PATHS.authorize,
        {
          GET: (ctx, address) => authorize.ask(ctx, address),
          POST: (ctx, address) => authorize.decide(ctx, address),
        },
      ],
      [PATHS.register, { POST: (ctx) => this.#registered(ctx) }],
      [PATHS.token, { POST: (ctx, address) => this.#token(ctx, address) }],
      [PATHS.revoke, { POST: (ctx) => this.#revoke(ctx) }],
    ]);
  }

  /** Paths of the sign-in. */
  get paths(): string[] {
    return [...this.#handlers.keys()];
  }

  /** Under which address the client that asks knows this server; undefined: there is no sign-in for it. */
  addressOf(request: FaceContext['req']): string | undefined {
    return signInAddress(request, this.#publicUrl);
  }

  /** Sends on those who come to the console while a client waits for them. @returns false where none does */
  resume(ctx: FaceContext): Promise<boolean> {
    return this.#authorize.resume(ctx);
  }

  /** Answers what is asked of the sign-in. @returns false when nothing was */
  async serve(ctx: FaceContext): Promise<boolean> {
    const methods = this.#handlers.get(ctx.state.path);
    const address = methods && this.addressOf(ctx.req);
    if (!methods || address === undefined) return false;
    const handler = methods[ctx.method === 'HEAD' ? 'GET' : ctx.method];
    const allowed = Object.keys(methods).join(', ');
    if (!handler) throw new HttpError(405, `Use ${allowed} here.`, { allow: allowed });
    try {
      await handler(ctx, address);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      ctx.set({ 'cache-control': 'no-store', ...error.headers });
      answerJson(ctx, error.status, error.body());
    }
    return true;
  }

  async #registered(ctx: FaceContext): Promise<void> {
    const client = await this.#register.register(ctx);
    ctx.set('cache-control', 'no-store');
    answerJson(ctx, 201, client);
  }

  async #token(ctx: FaceContext, address: string): Promise<void> {
    const params = new OneOfEach(await formFields(ctx, MAX_BODY));
    ctx.set('cache-control', 'no-store');
    answerJson(ctx, 200, await this.#slowly(ctx, () => this.#tokens.give(params, address, ctx.state.requestId)));
  }

  async #revoke(ctx: FaceContext): Promise<void> {
    const params = new OneOfEach(await formFields(ctx, MAX_BODY));
    ctx.set('cache-control', 'no-store');
    await this.#tokens.takeBack(params, ctx.state.requestId);
    answerJson(ctx, 200, {});
  }

  /** An address that shows wrong codes and tokens again and again waits. */
  async #slowly<T>(ctx: FaceContext, work: () => Promise<T>): Promise<T> {
    const address = ctx.req.socket.remoteAddress ?? '';
    try {
      const done = await work();
      this.#failing.succeeded(address);
      return done;
    } catch (error) {
      if (error instanceof OAuthError) await this.#failing.failed(address);
      throw error;
    }
  }
}
