import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { OwnClient } from '../../postgres/own-client.ts';
import { sessionOf } from '../../postgres/session-settings.ts';

const CHANNEL = 'outrider_wake';
const RETRY_MS = 2_000;

export interface WakeListenerOptions {
  databaseUrl: string;
  /** Real time. */
  clock: Clock;
  log: Logger;
  onWake: () => void;
}

/**
 * Listens for wakes on a connection of its own (LISTEN needs a session, which a transaction pooler doesn't give).
 * Only a shortcut: without it the poll finds the same work within a second.
 */
export async function listenForWakes(options: WakeListenerOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await session(options, signal).catch((error: unknown) => {
      options.log.debug({ err: messageOf(error) }, 'not listening for wakes');
    });
    await options.clock.sleep(RETRY_MS, signal).catch(() => undefined);
  }
}

async function session({ databaseUrl, onWake }: WakeListenerOptions, signal: AbortSignal): Promise<void> {
  const client = new OwnClient({
    ...sessionOf(databaseUrl),
    application_name: 'outrider-wakes',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  const ended = Promise.withResolvers<void>();
  const stop = (): void => ended.resolve();
  client.on('error', stop);
  client.on('end', stop);
  client.on('notification', onWake);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    await ended.promise;
  } finally {
    signal.removeEventListener('abort', stop);
    await client.end().catch(() => undefined);
  }
}
