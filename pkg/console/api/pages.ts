import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { call, type Input, type Output, type ToolName } from './call.ts';
import { type Failure, failureOf } from './http.ts';
import { type Resource, type ResourceOptions, useResource } from './resource.ts';

/** Lists that tools answer page by page, as far as somebody asked for more. */
export interface Pages<T> {
  readonly resource: Resource<PagesRead<T>>;
  /** Reads the next page too. */
  more(): void;
  readonly loadingMore: { readonly value: boolean };
  readonly moreFailure: { readonly value: Failure | undefined };
}

export interface PagesRead<T> {
  items: readonly T[];
  /** Null: there are no more. */
  nextCursor: string | null;
  /** What the first page said beside its items. */
  first: unknown;
}

/** Rows that are read again at most, when a list that was scrolled far changes. */
const MOST_AGAIN = 200;

type Paged = { limit?: number | undefined; cursor?: string | undefined };

/**
 * The pages of a tool; read anew where its parameters change.
 * @param pick the items of an answer
 */
export function usePages<N extends ToolName, T>(
  name: N,
  args: Input<N>,
  pick: (answer: Output<N>) => readonly T[],
  options?: ResourceOptions,
): Pages<T> {
  const key = JSON.stringify(args);
  // A list of its own for other parameters
  const own = useMemo(
    () => ({ loadingMore: signal(false), moreFailure: signal<Failure | undefined>(undefined), shown: 0 }),
    [name, key],
  );

  const page = async (paged: Paged, abort: AbortSignal): Promise<PagesRead<T>> => {
    const answer = await call(name, { ...args, ...paged } as Input<N>, { signal: abort });
    const { nextCursor = null } = answer as { nextCursor?: string | null };
    return { items: pick(answer), nextCursor, first: answer };
  };
  /** As far as it was read before, so that nobody's place in the list goes. */
  const read = async (abort: AbortSignal): Promise<PagesRead<T>> => {
    let all = await page({}, abort);
    while (all.nextCursor !== null && all.items.length < Math.min(own.shown, MOST_AGAIN)) {
      const next = await page({ cursor: all.nextCursor }, abort);
      all = { ...all, items: [...all.items, ...next.items], nextCursor: next.nextCursor };
    }
    own.shown = all.items.length;
    return all;
  };
  const resource = useResource(read, [name, key], options);

  const more = async (): Promise<void> => {
    const { data } = resource.state.value;
    if (own.loadingMore.value || !data || data.nextCursor === null) return;
    const { nextCursor } = data;
    own.loadingMore.value = true;
    try {
      const next = await page({ cursor: nextCursor }, AbortSignal.timeout(60_000));
      // It may have been read again meanwhile, and have another end.
      if (resource.state.value.data?.nextCursor !== nextCursor) return;
      resource.set((known) => ({ ...known, items: [...known.items, ...next.items], nextCursor: next.nextCursor }));
      own.shown += next.items.length;
      own.moreFailure.value = undefined;
    } catch (error) {
      own.moreFailure.value = failureOf(error);
    } finally {
      own.loadingMore.value = false;
    }
  };
  return { resource, more: () => void more(), loadingMore: own.loadingMore, moreFailure: own.moreFailure };
}
