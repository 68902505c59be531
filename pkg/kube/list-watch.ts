import { messageOf } from '../base/errors.ts';
import { Backoff } from './backoff.ts';
import type { KubeClient, ListOptions } from './client.ts';
import { isExpired } from './kube-error.ts';
import type { KubeRuntime } from './runtime.ts';
import type { ListTaker } from './store.ts';
import type { KubeObject, Resource, WatchEvent } from './types.ts';
import { mustRelist } from './watch-stream.ts';

/** Who follows a resource: the whole state in every list, then each change. Must not throw. */
export interface ListWatchSink {
  /** A list begins; one that breaks off is never `done`, and another begins. */
  takeOver(): ListTaker;
  apply(event: WatchEvent<KubeObject>): void;
  /** A sign of life: a list, an event, a bookmark. */
  alive(): void;
}

export interface ListWatchOptions {
  client: KubeClient;
  resource: Resource;
  scope: Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector' | 'metadataOnly'>;
  sink: ListWatchSink;
  runtime: KubeRuntime;
  signal: AbortSignal;
}

/** A watch shorter than this that brought nothing is a failure, or a server at its limit would be polled in a loop. */
const SHORT_WATCH_MS = 1_000;

/**
 * Lists, watches, and never goes deaf: whatever happens, it tries again with a jittered back-off until the signal
 * aborts it. Modelled on client-go's reflector; the library's informer stops for good at the first list error, at
 * any watch error but 410, and swallows events that do not parse.
 * Resolves when aborted, never rejects, and leaves no stream behind.
 */
export async function runListWatch(options: ListWatchOptions): Promise<void> {
  const { runtime, signal } = options;
  const backoff = new Backoff(runtime.clock, runtime.random);
  let reason = 'start';
  let version: string | undefined;
  while (!signal.aborted) {
    try {
      version ??= await list(options, reason);
      const watched = await watch(options, version);
      version = watched.version;
      if (watched.error !== undefined) {
        reason = relistReason(watched.error);
        if (mustRelist(watched.error)) version = undefined;
        log(options, 'watch ended with an error', watched.error);
        // An expired version was told in time by a healthy server: listing at once is what it asks for.
        if (isExpired(watched.error) && watched.alive) continue;
      }
      if (watched.error === undefined && watched.alive) continue;
    } catch (error) {
      log(options, 'list failed', error);
    }
    await runtime.clock.sleep(signal.aborted ? 0 : backoff.next(), signal).catch(() => undefined);
  }
}

async function list(options: ListWatchOptions, reason: string): Promise<string> {
  const { client, resource, scope, sink, runtime, signal } = options;
  let list = sink.takeOver();
  let version = '';
  for await (const page of client.pages(resource, { ...scope, signal })) {
    if (page.first) list = sink.takeOver();
    list.page(page.items);
    version = page.resourceVersion;
    sink.alive();
  }
  runtime.metrics.informerRelists.inc({ resource: resource.plural, reason });
  list.done();
  return version;
}

interface Watched {
  /** Where the next watch goes on. */
  version: string;
  error?: unknown;
  /** It brought something, or lasted long enough to be a healthy quiet watch. */
  alive: boolean;
}

/** One stream. Returns how far it came, so that an error in the middle loses nothing. */
async function watch(options: ListWatchOptions, from: string): Promise<Watched> {
  const { client, resource, scope, sink, runtime, signal } = options;
  const started = runtime.clock.now();
  // Random, so that all watches of a restarted server do not end in the same second for ever.
  const timeoutSeconds = Math.floor(300 + runtime.random() * 300);
  let version = from;
  let events = 0;
  const healthy = (): boolean => events > 0 || runtime.clock.now() - started >= SHORT_WATCH_MS;
  try {
    for await (const event of client.watch<KubeObject>(resource, {
      ...scope,
      resourceVersion: from,
      timeoutSeconds,
      signal,
    })) {
      if (signal.aborted) break;
      version = event.object.metadata.resourceVersion ?? version;
      events++;
      if (event.type !== 'BOOKMARK') sink.apply(event);
      sink.alive();
    }
    return { version, alive: healthy() };
  } catch (error) {
    return { version, error, alive: healthy() };
  }
}

function relistReason(error: unknown): string {
  if (isExpired(error)) return 'expired';
  return mustRelist(error) ? 'broken_stream' : 'error';
}

function log(options: ListWatchOptions, what: string, error: unknown): void {
  if (options.signal.aborted) return;
  const level = isExpired(error) ? 'debug' : 'warn';
  options.runtime.log[level]({ resource: options.resource.plural, cause: messageOf(error) }, what);
}
