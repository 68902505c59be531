import { CallError } from '../call-error.ts';
import { exchange, type OutsideRequest } from '../outside-http.ts';
import { notTaken } from './deliver-webhook.ts';

/** One message to a chat. */
export interface ChatMessage {
  /** The incoming webhook of a channel; its path opens the channel, so it stands in no error. */
  url: string;
  /** Slack's markup. */
  text: string;
  timeoutMs: number;
  reach: OutsideRequest['reach'];
  signal: AbortSignal;
}

/**
 * Posts a message by a Slack-compatible incoming webhook (Slack, Mattermost, Rocket.Chat, Discord under `/slack`). Source: Slack,
 * "Sending messages using incoming webhooks". @throws CallError
 */
export async function deliverChat({ url, text, timeoutMs, reach, signal }: ChatMessage): Promise<void> {
  const call: OutsideRequest = {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
    timeoutMs,
    signal,
    // A message that comes twice does no harm.
    harmless: true,
    statusDecides: true,
    reach,
  };
  const answer = await exchange(call);
  if (answer.status >= 300) throw withoutPath(notTaken(call, answer), url);
}

function withoutPath({ kind, message, retryAfterMs, tooMany, gone }: CallError, url: string): CallError {
  const { pathname } = new URL(url);
  const shown = pathname.length > 1 ? message.replaceAll(pathname, '/…') : message;
  return new CallError(kind, shown, retryAfterMs, tooMany, gone);
}
