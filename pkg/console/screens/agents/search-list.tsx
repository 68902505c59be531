import { usePages } from '../../api/pages.ts';
import { here } from '../../app/address.ts';
import { workspace } from '../../app/session.ts';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { Time } from '../../parts/time.tsx';
import { percent, plainWords } from '../../parts/words.ts';
import { StatusChip } from './agent-state.tsx';
import { spent } from './competitor-list.tsx';

/** Topics and searches that are watched, with their freshest hits and rising words. */
export function SearchList() {
  const { workspaceId = '' } = workspace.value ?? {};
  const watches = usePages(
    'svc_list_search_watches',
    { workspaceId, detail: 'full', hitsPerWatch: 5 },
    (answer) => answer.searchWatches,
    { on: ['watch'] },
  );
  return (
    <Loaded
      of={watches.resource}
      empty={{
        when: ({ items }) => items.length === 0,
        show: (
          <Empty icon="search" title="No topic or search is watched">
            <p>Ask your assistant to watch one, or call svc_create_search_watch.</p>
          </Empty>
        ),
      }}
    >
      {({ items }) => (
        <>
          {items.map((watch) => {
            const { searchWatchId, name = '', kind = 'topic', status = 'paused', hits = [], risingTopics = [] } = watch;
            return (
              <article key={searchWatchId} class="card card-body" aria-label={name}>
                <header class="card-head">
                  <h2 class="entry-title">
                    <bdi>{name}</bdi>
                  </h2>
                  <StatusChip status={status} />
                </header>
                <p class="small soft">
                  {kind}
                  {watch.query ? (
                    <>
                      {': '}
                      <bdi>{watch.query}</bdi>
                    </>
                  ) : null}{' '}
                  · {watch.cadence} · {spent(watch.creditsThisMonth ?? 0, watch.monthlyCreditLimit ?? null)}
                  {watch.nextRunAt && status === 'active' ? (
                    <>
                      {' '}
                      · next look <Time at={watch.nextRunAt} />
                    </>
                  ) : null}
                </p>
                {watch.pauseReason ? <p class="hint">{plainWords(watch.pauseReason)}</p> : null}
                {risingTopics.length === 0 ? null : (
                  <p class="small soft">
                    Rising:{' '}
                    {risingTopics.map(({ term, share, shareBefore }) => (
                      <span key={term} class="rising" title={`${percent(shareBefore)} before`}>
                        <bdi>{term}</bdi> {percent(share)}
                      </span>
                    ))}
                  </p>
                )}
                {hits.length === 0 ? (
                  <p class="hint">No hits yet.</p>
                ) : (
                  <ul class="findings">
                    {hits.map((hit) => (
                      <li key={`${hit.url} ${hit.at} ${hit.title}`}>
                        <OutsideLink href={hit.url}>
                          <bdi>{hit.title || hit.url}</bdi>
                        </OutsideLink>
                        <p class="small soft">
                          {hit.leadId ? (
                            <a href={here.value('leads', hit.leadId)}>
                              <bdi>{hit.author}</bdi>
                            </a>
                          ) : (
                            <bdi>{hit.author}</bdi>
                          )}{' '}
                          · <Time at={hit.at} />
                        </p>
                      </li>
                    ))}
                  </ul>
                )}
              </article>
            );
          })}
          <More of={watches} />
        </>
      )}
    </Loaded>
  );
}
