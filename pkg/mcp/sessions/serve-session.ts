import { HttpError } from '../../base/http/http-error.ts';
import { countFault } from '../../metrics/mcp-metrics.ts';
import { RpcError, rpcErrorBody, toRpcError } from '../errors.ts';
import type { Exchange } from '../exchange.ts';
import {
  answerOf,
  handleMessage,
  type MessageContext,
  type MessageServices,
  refusedAtOnce,
} from '../handle-message.ts';
import { retryAfter, sendJson } from '../http-io.ts';
import { JsonAnswer } from '../json-answer.ts';
import { SESSION_METHODS } from '../methods/methods.ts';
import { checkVersionHeader } from '../request-checks.ts';
import { knowsPriming, progressTokenOf, type RpcMessage } from '../rpc.ts';
import { AnswerStream, type Resumption } from '../streams/answer-stream.ts';
import type { EventLog } from '../streams/event-log.ts';
import type { CancelledCalls } from './cancelled-calls.ts';
import type { OpenSession } from './open-session.ts';

/** What serves the POSTs of sessions. */
export interface SessionServices {
  services: MessageServices;
  cancelled: CancelledCalls;
  /** Keeps answers for clients that lose their connection. */
  log: EventLog;
}

/** What a body held. */
export interface PostedMessages {
  messages: readonly RpcMessage[];
  batch: boolean;
}

/** The signal of what nobody can cancel. */
const NEVER = new AbortController().signal;

/** Serves the messages of a POST in a session. @throws HttpError, RpcError when the whole of it is refused */
export function serveSession(
  served: SessionServices,
  exchange: Exchange,
  session: OpenSession,
  body: PostedMessages,
): Promise<void> | undefined {
  checkVersionHeader(exchange.request);
  if (body.batch && session.version !== '2025-03-26') {
    throw new RpcError(-32600, `Batches are not part of protocol version ${session.version}.`);
  }
  const [message] = body.messages;
  const refused = body.batch ? undefined : refusedAtOnce(served.services, exchange.authenticated, message);
  if (!message || !refused) return serveMessages(served, exchange, session, body);
  send(exchange, [answerOf(message, refused)], false);
  return undefined;
}

async function serveMessages(
  { services, cancelled, log }: SessionServices,
  exchange: Exchange,
  session: OpenSession,
  { messages, batch }: PostedMessages,
): Promise<void> {
  const context = contextOf(exchange, session);
  const notes = messages.filter((message) => message.method === undefined || message.notification);
  // Each request learns by itself what is true now of its caller.
  if (notes.length > 0) {
    await services.gate.current(context);
    await cancelled.cancel(session.hash, notes);
  }
  const stream = messages.some((message) => progressTokenOf(message.params) !== undefined)
    ? new AnswerStream(exchange.response, resumptionOf(services, log, session))
    : undefined;
  if (stream) context.progress = (...step) => stream.progress(...step);
  const answers = await answersTo(services, context, messages);
  if (stream?.open) return stream.end(answers.map((answer) => answer.text));
  send(exchange, answers, batch);
}

function contextOf({ authenticated, request, requestId }: Exchange, { version, hash }: OpenSession): MessageContext {
  return {
    authenticated,
    sessionHash: hash,
    protocolVersion: version,
    narrowedBy: request,
    requestId,
    signal: NEVER,
    progress: () => undefined,
  };
}

function send({ response }: Exchange, answers: readonly JsonAnswer[], batch: boolean): void {
  const [first] = answers;
  // Notifications have no answer, and of calls that were cancelled nothing is said.
  if (!first) {
    response.writeHead(202).end();
    return;
  }
  const body = batch ? `[${answers.map((answer) => answer.text).join(',')}]` : first;
  const refused = answers.find(({ retryAfterSeconds }) => retryAfterSeconds !== undefined);
  sendJson(response, 200, body, retryAfter(refused?.retryAfterSeconds));
}

async function answersTo(
  services: MessageServices,
  context: MessageContext,
  messages: readonly RpcMessage[],
): Promise<JsonAnswer[]> {
  const answers: JsonAnswer[] = [];
  for (const message of messages) {
    // Each call of a batch has a reference of its own.
    const own = answers.length === 0 ? context : { ...context, requestId: services.ids.uuid() };
    try {
      const answer = await handleMessage(services, own, SESSION_METHODS, message);
      if (answer !== undefined) answers.push(answer);
    } catch (error) {
      // What was done already must be heard of; before anything is, the whole request is refused.
      if (answers.length === 0) throw error;
      answers.push(failed(services, message, error));
    }
  }
  return answers;
}

function failed({ metrics, log }: MessageServices, { id }: RpcMessage, error: unknown): JsonAnswer {
  if (!(error instanceof HttpError)) {
    countFault(metrics);
    log.error({ err: error }, 'a message of a batch failed');
  }
  const { code, message } = toRpcError(error);
  return new JsonAnswer('', JSON.stringify(rpcErrorBody(id, code, message)), '');
}

/** Answers can be asked for again in every version with sessions. */
function resumptionOf({ ids, log }: MessageServices, events: EventLog, session: OpenSession): Resumption {
  const stream = ids.uuid();
  return {
    stream,
    primes: knowsPriming(session.version),
    // The work is done: an answer that can not be kept is sent all the same.
    keep: (data, last) =>
      events.append(session, stream, { data, last }).catch((error: unknown) => {
        log.warn({ err: error }, 'an answer could not be kept for a client that comes back');
        return undefined;
      }),
  };
}
