import type { ServerResponse } from 'node:http';
import { CancelledCall } from './sessions/running-calls.ts';

/** Without a session the end of the connection is how a client cancels. Source: MCP 2026-07-28, Cancellation. */
export function untilClosed(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort(new CancelledCall());
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new CancelledCall());
  });
  return controller.signal;
}
