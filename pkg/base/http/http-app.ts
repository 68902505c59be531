import Koa from 'koa';
import { monotonicUs } from '../clock.ts';
import type { Ids } from '../ids.ts';
import type { Logger } from '../log.ts';
import { type AccessLine, AccessLog, shownPath } from './access-log.ts';
import { checkHost, type HostPolicy } from './host-policy.ts';
import { IdentifiedResponse } from './identified-response.ts';
import { plainRefusal, type Refusal } from './refusal.ts';

/** What all HTTP faces have in common, and how this one differs. */
export interface HttpFace {
  /** In the access log. */
  name: string;
  log: Logger;
  ids: Ids;
  hosts: HostPolicy;
  /** Paths that the access log may show; `/name/*` hides what follows. */
  paths: readonly string[];
  /** Those among them that a machine asks for every few seconds: their lines have the level debug. */
  probes?: readonly string[];
  /** What an error is answered with; default: plain JSON. A status of 500 and above is a fault, which is logged. */
  refuse?: (error: unknown, path: string) => Refusal;
  /** Hears of each fault. */
  onFault?: () => void;
}

/** What the middlewares of a face know of a request. */
export interface FaceState {
  /** In the header x-request-id of the answer, in the log, and in what a caller is told to quote. */
  requestId: string;
  /** Without the query. */
  path: string;
}

export type FaceContext = Koa.ParameterizedContext<FaceState>;

/**
 * A Koa application with what every face needs: a request id on each answer, Host and Origin judged before all else, errors
 * answered in one form, and an access log. What a face answers is added with `use`; its last middleware throws HttpError 404.
 */
export function httpApp(face: HttpFace): Koa<FaceState> {
  const app = new Koa<FaceState>();
  const access = new AccessLog(face.log, face.name);
  // What Koa tells here is of connections that broke, and of nothing that a middleware threw.
  app.on('error', (error: unknown) => face.log.debug({ err: error, face: face.name }, 'a connection broke'));
  app.use(async (ctx, next) => {
    const started = monotonicUs();
    const { req, res, state } = ctx;
    state.requestId = face.ids.uuid();
    state.path = pathOf(req.url);
    if (res instanceof IdentifiedResponse) res.requestId = state.requestId;
    try {
      checkHost(req, face.hosts);
      await next();
      endUnread(ctx);
    } catch (error) {
      refuse(face, ctx, error);
    } finally {
      const level = face.probes?.includes(state.path) ? 'debug' : 'info';
      access.write(level, () => lineOf(face, ctx, monotonicUs() - started));
    }
  });
  return app;
}

function refuse(face: HttpFace, ctx: FaceContext, error: unknown): void {
  const { res } = ctx;
  const { status, headers, body } = (face.refuse ?? plainRefusal)(error, ctx.state.path);
  // What broke because a client left is no fault of ours, and nobody hears of it any more.
  if (res.destroyed) return;
  if (status >= 500) {
    face.onFault?.();
    face.log.error({ err: error, face: face.name, requestId: ctx.state.requestId }, 'request failed');
  }
  if (res.headersSent) {
    res.end();
    return;
  }
  ctx.respond = true;
  ctx.set(headers);
  endUnread(ctx);
  answerJson(ctx, status, body);
}

/** Of a body that was not read, or did not come, nothing may be left in the connection. */
function endUnread({ req, res }: FaceContext): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers;
  const hasBody = length !== '0' || encoding !== undefined;
  if (hasBody && !req.complete && !res.headersSent) res.setHeader('connection', 'close');
}

/** Answers JSON. */
export function answerJson(ctx: FaceContext, status: number, body: object): void {
  ctx.status = status;
  ctx.set('content-type', 'application/json');
  ctx.body = JSON.stringify(body);
}

function pathOf(url = '/'): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function lineOf({ paths }: HttpFace, { req, res, state }: FaceContext, us: number): AccessLine {
  return {
    requestId: state.requestId,
    method: req.method ?? '',
    path: shownPath(paths, state.path),
    status: res.statusCode,
    ms: Math.round(us / 100) / 10,
    ...(res.destroyed && !res.writableFinished ? { aborted: true } : {}),
  };
}
