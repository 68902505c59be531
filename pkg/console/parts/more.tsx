import type { Pages } from '../api/pages.ts';
import { FailureLine } from './loaded.tsx';

/** Asks for the next page of a list, where there is one. */
export function More<T>({ of }: { of: Pages<T> }) {
  const { data } = of.resource.state.value;
  if (!data || data.nextCursor === null) return null;
  return (
    <div class="more">
      <button type="button" class="button" disabled={of.loadingMore.value} onClick={of.more}>
        {of.loadingMore.value ? 'Loading…' : 'Show more'}
      </button>
      <FailureLine failure={of.moreFailure.value} />
    </div>
  );
}
