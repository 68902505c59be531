import { RpcError, rpcErrorBody } from '../errors.ts';
import { type MessageContext, type MessageServices, type Result, refusedAtOnce, resultOf } from '../handle-message.ts';
import { retryAfter, sendJson } from '../http-io.ts';
import { textOf } from '../json-answer.ts';
import type { Method } from '../methods/method.ts';
import { STATELESS_METHODS } from '../methods/methods.ts';
import { narrowingOf } from '../narrowing.ts';
import { progressTokenOf, type RpcMessage, STATELESS_VERSION } from '../rpc.ts';
import { CancelledCall } from '../sessions/running-calls.ts';
import { AnswerStream } from '../streams/answer-stream.ts';
import { untilClosed } from '../until-closed.ts';
import { checkStatelessRequest } from './check-request.ts';
import type { StatelessExchange } from './exchange.ts';
import { type Listening, listen } from './listen.ts';
import { discoverResult, statelessResult } from './results.ts';

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    'server/discover',
    ({ toolList }, { narrowedBy }) => {
      // A name that is none of ours is said as early as can be.
      narrowingOf(narrowedBy, toolList.known);
      return discoverResult();
    },
  ],
  ...STATELESS_METHODS,
]);

/** Serves one message of 2026-07-28: everything that matters is in it. */
export function serveStateless(
  services: MessageServices,
  listening: Listening,
  exchange: StatelessExchange,
): Promise<void> | undefined {
  const { request, response, message, authenticated } = exchange;
  if (message.method === undefined) throw new RpcError(-32_600, 'Invalid request: clients send no responses.');
  if (message.notification) {
    response.writeHead(202).end();
    return undefined;
  }
  try {
    checkStatelessRequest(request.headers, message);
    const refused = refusedAtOnce(services, authenticated, message);
    if (!refused) return serveChecked(services, listening, exchange);
    sendResult(services, exchange, refused);
  } catch (error) {
    failed(exchange, error);
  }
  return undefined;
}

async function serveChecked(
  services: MessageServices,
  listening: Listening,
  exchange: StatelessExchange,
): Promise<void> {
  try {
    const context = contextOf(exchange);
    if (exchange.message.method === 'subscriptions/listen') await listen(services, listening, context, exchange);
    else await answer(services, context, exchange);
  } catch (error) {
    failed(exchange, error);
  }
}

async function answer(services: MessageServices, context: MessageContext, exchange: StatelessExchange): Promise<void> {
  const { response, message } = exchange;
  const stream = progressTokenOf(message.params) === undefined ? undefined : new AnswerStream(response);
  const progress: MessageContext['progress'] = (...step) => stream?.progress(...step);
  try {
    const result = await resultOf(services, { ...context, progress }, METHODS, message);
    if (stream?.open) await stream.end([textOfResult(services, message, result)]);
    else sendResult(services, exchange, result);
  } catch (error) {
    if (!(error instanceof RpcError) || !response.headersSent) throw error;
    await stream?.end([JSON.stringify(rpcErrorBody(message.id, error.code, error.message, error.data))]);
  }
}

function sendResult(services: MessageServices, { response, message }: StatelessExchange, result: Result): void {
  sendJson(response, 200, textOfResult(services, message, result), retryAfter(result.retryAfterSeconds));
}

function textOfResult({ version }: MessageServices, { id, method = '' }: RpcMessage, { json }: Result): string {
  const whole = statelessResult(method, textOf(json), version);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${whole}}`;
}

function contextOf({ request, response, authenticated, requestId }: StatelessExchange): MessageContext {
  return {
    authenticated,
    sessionHash: null,
    protocolVersion: STATELESS_VERSION,
    narrowedBy: request,
    requestId,
    signal: untilClosed(response),
    progress: () => undefined,
  };
}

/** @throws what is no answer to the client */
function failed({ response, message }: StatelessExchange, error: unknown): void {
  if (error instanceof CancelledCall) {
    response.destroy();
    return;
  }
  if (!(error instanceof RpcError)) throw error;
  const body = rpcErrorBody(message.id, error.code, error.message, error.data);
  sendJson(response, error.status, JSON.stringify(body), retryAfter(error.retryAfterSeconds));
}
