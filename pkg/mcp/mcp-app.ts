import type Koa from 'koa';
import { answerOptions, letPageRead } from '../base/http/cors.ts';
import type { HostPolicy } from '../base/http/host-policy.ts';
import { answerJson, type FaceContext, type FaceState, httpApp } from '../base/http/http-app.ts';
import { HttpError } from '../base/http/http-error.ts';
import { FAULT_HEADERS, plainRefusal, type Refusal } from '../base/http/refusal.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import { isConsolePath } from './console/console-face.ts';
import { RpcError, rpcErrorBody, toRpcError } from './errors.ts';
import type { McpExchange } from './exchange.ts';
import { MCP_PAGES } from './mcp-pages.ts';
import { CONSOLE_HOME } from './sign-in/metadata.ts';
import { SIGN_IN_PATHS, signInAnswer } from './sign-in/no-sign-in.ts';
import type { SignIn } from './sign-in/sign-in.ts';

export interface McpAppOptions {
  /** Names the listener in the access log. */
  name: string;
  log: Logger;
  ids: Ids;
  hosts: HostPolicy;
  onFault: () => void;
  /** What /health tells. */
  health: () => object;
  /** What is wrong when no request should be sent here; undefined: nothing. */
  unready: () => Promise<string | undefined>;
  /** Answers what came to /mcp. */
  serve: (exchange: McpExchange) => Promise<void>;
  /** Answers what came for a medium of a post. */
  serveMedium: (exchange: McpExchange) => Promise<void>;
  /** Answers what came for the web console; absent: there is none here. */
  serveConsole?: ((exchange: McpExchange, path: string) => Promise<void>) | undefined;
  /** How people let clients in; absent: by keys alone. */
  signIn?: SignIn | undefined;
}

const MCP = '/mcp';
const MEDIA = '/media/';
/** Links that sign in stand in the paths of its pages: the log shows none of them. */
const CONSOLE = ['/console/api/me', '/console/api/call', '/console/api/events', '/console/*'];
const PROBES = ['/health', '/livez', '/readyz'];

/** The HTTP face of MCP: /mcp, media of posts, GET /health, /livez, /readyz, the web console, and a word for who looks for a sign-in; pages of allowed origins may ask all of it. */
export function mcpApp(options: McpAppOptions): Koa<FaceState> {
  const { name, log, ids, hosts, onFault } = options;
  const paths = [MCP, `${MEDIA}*`, ...PROBES, ...SIGN_IN_PATHS, ...CONSOLE, ...(options.signIn?.paths ?? [])];
  const app = httpApp({ name, log, ids, hosts, onFault, paths, probes: PROBES, refuse });
  // Functions on the way of every call are no async ones where they only pass a promise on: each costs a flood dearly.
  app.use((ctx) => {
    // Before other pages may read anything: those of the console are their own origin's alone.
    if (ctx.state.path !== MCP && options.serveConsole && isConsolePath(ctx.state.path))
      return ofConsole(options.serveConsole, options, ctx);
    const { origin } = ctx.req.headers;
    if (origin !== undefined) letPageRead(ctx.res, origin, MCP_PAGES);
    if (ctx.req.method === 'OPTIONS') {
      ctx.respond = false;
      return answerOptions(ctx.req, ctx.res, MCP_PAGES);
    }
    const isMedium = ctx.state.path.startsWith(MEDIA);
    if (ctx.state.path !== MCP && !isMedium) return probe(options, ctx);
    // Streams, and answers whose bytes are prepared: the transport of MCP writes them itself.
    ctx.respond = false;
    const exchange = exchangeOf(ctx);
    return isMedium ? options.serveMedium(exchange) : options.serve(exchange);
  });
  return app;
}

function exchangeOf({ req, res, state }: FaceContext): McpExchange {
  return { request: req, response: res, requestId: state.requestId };
}

async function ofConsole(
  serve: NonNullable<McpAppOptions['serveConsole']>,
  { signIn }: McpAppOptions,
  ctx: FaceContext,
): Promise<void> {
  // Who signed in since a client sent them here goes on to what it asks.
  if (ctx.state.path === CONSOLE_HOME && (await signIn?.resume(ctx))) return;
  ctx.respond = false;
  await serve(exchangeOf(ctx), ctx.state.path);
}

async function probe({ health, unready, signIn: face }: McpAppOptions, ctx: FaceContext): Promise<void> {
  const { path } = ctx.state;
  if (path === '/health' && (ctx.method === 'GET' || ctx.method === 'HEAD'))
    return answerJson(ctx, 200, { status: 'ok', ...health() });
  if (path === '/livez') return answerJson(ctx, 200, { status: 'ok' });
  if (face && (await face.serve(ctx))) return;
  const signIn = face?.addressOf(ctx.req) === undefined ? signInAnswer(path) : undefined;
  if (signIn !== undefined) return answerJson(ctx, 404, signIn);
  if (path !== '/readyz') throw new HttpError(404, 'Nothing is here. MCP is at /mcp, status at /health.');
  const problem = await unready();
  answerJson(ctx, problem === undefined ? 200 : 503, { status: problem ?? 'ok' });
}

/** Clients of MCP read JSON-RPC, everybody else JSON. */
function refuse(error: unknown, path: string): Refusal {
  if (path !== MCP) return plainRefusal(error);
  const { code, message } = toRpcError(error);
  const body = rpcErrorBody(null, code, message);
  if (error instanceof RpcError) return { status: 400, headers: {}, body };
  if (error instanceof HttpError) return { status: error.status, headers: error.headers, body };
  return { status: 503, headers: FAULT_HEADERS, body };
}
