import { signal } from '@preact/signals';

/** What changes: the first words of the kinds of events (docs/events.md). */
export type ChangeType =
  | 'account'
  | 'automation'
  | 'connection'
  | 'content'
  | 'credits'
  | 'dead_letter'
  | 'import'
  | 'integration'
  | 'key'
  | 'lead'
  | 'mail'
  | 'meeting'
  | 'member'
  | 'message'
  | 'reply'
  | 'report'
  | 'review'
  | 'run'
  | 'send'
  | 'signal'
  | 'split'
  | 'unsubscribe'
  | 'warmup'
  | 'watch';

/** A change that the server tells of: ids alone, what they are is read again. */
export interface Change {
  kind: string;
  /** `*`: more than it can tell. */
  recordType: ChangeType | '*';
  ids: readonly string[];
}

/** How the stream stands; `paused` while nobody looks at the tab. */
export const streamState = signal<'off' | 'connecting' | 'live' | 'waiting' | 'paused'>('off');

type Listener = (change: Change | 'missed') => void;
const listeners = new Set<Listener>();

/** Hears of changes; `missed` says that any may have passed unheard. @returns ends it */
export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** The server says something every 25 s: after so long without a word the stream is dead. */
const SILENCE_MS = 70_000;

/** One stream of a tab: it goes on where it ended, waits longer each time that it can not, and rests in hidden tabs. */
class EventStream {
  readonly #workspaceId: string;
  #lastId = '';
  #abort: AbortController | undefined;
  #wait = FIRST_WAIT_MS;
  #timer = 0;
  #ended = false;
  /** Whether it was live before. */
  #known = false;

  constructor(workspaceId: string) {
    this.#workspaceId = workspaceId;
    document.addEventListener('visibilitychange', this.#look);
    addEventListener('online', this.#again);
    this.#look();
  }

  end(): void {
    this.#ended = true;
    document.removeEventListener('visibilitychange', this.#look);
    removeEventListener('online', this.#again);
    this.#stop();
    streamState.value = 'off';
  }

  readonly #look = (): void => {
    if (document.hidden) {
      this.#stop();
      streamState.value = 'paused';
    } else if (!this.#abort) void this.#open();
  };

  readonly #again = (): void => {
    if (streamState.value !== 'waiting') return;
    this.#wait = FIRST_WAIT_MS;
    clearTimeout(this.#timer);
    void this.#open();
  };

  #stop(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#abort = undefined;
  }

  async #open(): Promise<void> {
    this.#stop();
    const abort = new AbortController();
    this.#abort = abort;
    streamState.value = 'connecting';
    const resumed = this.#lastId !== '';
    try {
      const url = `/console/api/events?workspaceId=${encodeURIComponent(this.#workspaceId)}`;
      const headers = { accept: 'text/event-stream', ...(resumed ? { 'last-event-id': this.#lastId } : {}) };
      const response = await fetch(url, { headers, credentials: 'same-origin', signal: abort.signal });
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
      streamState.value = 'live';
      this.#wait = FIRST_WAIT_MS;
      if (this.#known && !resumed) tell('missed');
      this.#known = true;
      await this.#read(response.body, abort);
    } catch {
      // As when it ends: it is opened again.
    }
    // Another stream took its place, or nobody looks.
    if (this.#abort !== abort) return;
    this.#abort = undefined;
    this.#later();
  }

  #later(): void {
    if (this.#ended || document.hidden) return;
    streamState.value = 'waiting';
    // Tabs of many people do not come back in one moment.
    const wait = this.#wait * (0.5 + Math.random());
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT_MS);
    this.#timer = window.setTimeout(() => void this.#open(), wait);
  }

  async #read(body: ReadableStream<Uint8Array>, abort: AbortController): Promise<void> {
    const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
    let rest = '';
    for (;;) {
      const silence = window.setTimeout(() => abort.abort(), SILENCE_MS);
      const { value, done } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      const blocks = (rest + value).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split(/\r?\n/)) {
      const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) fields.set(name, value);
    }
    const id = fields.get('id');
    if (id !== undefined) this.#lastId = id;
    if (fields.get('event') !== 'change') return;
    try {
      const change = JSON.parse(fields.get('data') ?? '') as Change;
      // The server can not say what passed since: anything may have.
      tell(change.recordType === '*' ? 'missed' : change);
    } catch {
      tell('missed');
    }
  }
}

function tell(change: Change | 'missed'): void {
  for (const listener of listeners) listener(change);
}

let open: { workspaceId: string; stream: EventStream } | undefined;

/** The stream of a workspace; null: none. There is one in a tab. */
export function followWorkspace(workspaceId: string | null): void {
  if (open?.workspaceId === workspaceId) return;
  open?.stream.end();
  open = workspaceId === null ? undefined : { workspaceId, stream: new EventStream(workspaceId) };
}
