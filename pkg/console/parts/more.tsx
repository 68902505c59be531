import type { Pages } from '../api/pages.ts';
import { FailureLine } from './loaded.tsx';
import './more.css';

/** Asks for the next page of a list, where there is one. @param block as wide as the list */
export function More<T>({ of, block = false }: { of: Pages<T>; block?: boolean }) {
  const { data } = of.resource.state.value;
  if (!data || data.nextCursor === null) return null;
  return (
    <div class="more">
      <button
        type="button"
        class={block ? 'button button-block' : 'button'}
        disabled={of.loadingMore.value}
        onClick={of.more}
      >
        {of.loadingMore.value ? 'Loading…' : 'Show more'}
      </button>
      <FailureLine failure={of.moreFailure.value} />
    </div>
  );
}
