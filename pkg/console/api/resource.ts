import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { call, type Input, type Output, type ToolName } from './call.ts';
import { type ChangeType, onChange } from './events.ts';
import { type Failure, failureOf } from './http.ts';

/** Where a reading stands. What was read before stays to be seen while it is read again, or when that fails. */
export interface Reading<T> {
  data: T | undefined;
  failure: Failure | undefined;
  busy: boolean;
}

/** Something that is read from the server and read again as it changes. */
export interface Resource<T> {
  readonly state: ReadonlySignal<Reading<T>>;
  /** Reads again; what was read stays until then. */
  reload(): void;
  /** Puts what is known already in place of what was read. */
  set(change: (data: T) => T): void;
}

/** Changes come in crowds, and one reading answers all of them. */
const GATHER_MS = 400;

class OwnResource<T> implements Resource<T> {
  readonly state = signal<Reading<T>>({ data: undefined, failure: undefined, busy: true });
  readonly #read: (signal: AbortSignal) => Promise<T>;
  #abort = new AbortController();
  #timer = 0;

  constructor(read: (signal: AbortSignal) => Promise<T>) {
    this.#read = read;
  }

  // Given away as they are, by screens that know nothing more of it.
  readonly reload = (): void => {
    void this.#run();
  };

  /** Reads again soon, once for all that ask until then. */
  soon(): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.reload(), GATHER_MS);
  }

  readonly set = (change: (data: T) => T): void => {
    const { data } = this.state.value;
    if (data !== undefined) this.state.value = { ...this.state.value, data: change(data) };
  };

  end(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    this.#abort.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.state.value = { ...this.state.value, busy: true };
    try {
      const data = await this.#read(abort.signal);
      if (!abort.signal.aborted) this.state.value = { data, failure: undefined, busy: false };
    } catch (error) {
      if (abort.signal.aborted) return;
      this.state.value = { data: this.state.value.data, failure: failureOf(error), busy: false };
    }
  }
}

export interface ResourceOptions {
  /** What makes it old (`*`: any change). Default: it is read again when asked to. */
  on?: readonly (ChangeType | '*')[];
  /** Of what is not told of (words of strangers, for example): it is read again as often, in ms, while somebody looks. */
  everyMs?: number;
}

/** What `read` reads; anew where `deps` change. */
export function useResource<T>(
  read: (signal: AbortSignal) => Promise<T>,
  deps: readonly unknown[],
  { on = [], everyMs }: ResourceOptions = {},
): Resource<T> {
  // What it reads follows from deps alone
  const resource = useMemo(() => new OwnResource(read), deps);
  const types = on.join();
  useEffect(() => {
    resource.reload();
    const wanted = new Set(types.split(','));
    const stop = onChange((change) => {
      if (change === 'missed' || wanted.has('*') || wanted.has(change.recordType)) resource.soon();
    });
    // Not every change is told, and who comes back wants to see what is.
    const look = (): void => {
      if (!document.hidden && types !== '') resource.soon();
    };
    document.addEventListener('visibilitychange', look);
    const timer = everyMs === undefined ? undefined : window.setInterval(look, everyMs);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
      stop();
      resource.end();
    };
  }, [resource, types, everyMs]);
  return resource;
}

/** What a tool answers; read anew where its parameters change. */
export function useTool<N extends ToolName>(name: N, args: Input<N>, options?: ResourceOptions): Resource<Output<N>> {
  return useResource((signal) => call(name, args, { signal }), [name, JSON.stringify(args)], options);
}
