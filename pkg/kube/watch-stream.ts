import { KubeError, kubeErrorFrom } from './kube-error.ts';
import type { KubeObject, WatchEvent, WatchEventType } from './types.ts';

const TYPES: readonly string[] = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'] satisfies WatchEventType[];
const MAX_LINE = 16 * 1_024 * 1_024;

/** The stream held something that is not an event: what was in it is lost, so the reader must list again. */
export class WatchParseError extends Error {
  override readonly name = 'WatchParseError';
}

/**
 * Splits a watch stream into events. The library swallows lines that do not parse, which loses an event until the
 * next relist; here a bad line, a line cut off at the end and an in-band ERROR all end the stream with an error.
 * @throws WatchParseError, or KubeError for an in-band ERROR (410 Expired among them)
 */
export async function* parseWatch<T extends KubeObject>(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<WatchEvent<T>> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decode(decoder, chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.trim() !== '') yield parseEvent<T>(line);
    }
    if (rest.length > MAX_LINE) throw new WatchParseError('a watch event is larger than 16 MiB');
  }
  if (rest.trim() !== '') throw new WatchParseError('the watch stream ended inside an event');
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    throw new WatchParseError('the watch stream is not UTF-8');
  }
}

function parseEvent<T extends KubeObject>(line: string): WatchEvent<T> {
  const event = parseLine(line);
  if (event.type === 'ERROR') throw kubeErrorFrom(statusCode(event.object), event.object);
  const object = event.object as T | undefined;
  if (!TYPES.includes(event.type) || typeof object?.metadata?.resourceVersion !== 'string') {
    throw new WatchParseError('a watch event has no known type or no resourceVersion');
  }
  return { type: event.type as WatchEventType, object };
}

function parseLine(line: string): { type: string; object: unknown } {
  try {
    const value = JSON.parse(line) as { type?: unknown; object?: unknown } | null;
    return { type: String(value?.type), object: value?.object };
  } catch {
    // The text stays out of the message: it may be an object with secrets.
    throw new WatchParseError('a watch event is not JSON');
  }
}

function statusCode(status: unknown): number {
  const code = (status as { code?: unknown } | undefined)?.code;
  return typeof code === 'number' ? code : 500;
}

/** Whether the state of the world must be read again, or the watch may go on from the last resourceVersion. */
export function mustRelist(error: unknown): boolean {
  if (error instanceof WatchParseError) return true;
  return error instanceof KubeError && error.status !== 0 && error.status !== 429 && error.status < 500;
}
