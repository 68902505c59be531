import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { usePages } from '../../api/pages.ts';
import { here } from '../../app/address.ts';
import { workspace } from '../../app/session.ts';
import { Diagnosis } from '../../parts/diagnosis.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { Time } from '../../parts/time.tsx';
import { count, counted, plainWords } from '../../parts/words.ts';
import { PauseWatch, StatusChip } from './agent-state.tsx';

/** Competitors that are watched, and what was found of each. */
export function CompetitorList() {
  const { workspaceId = '' } = workspace.value ?? {};
  const watches = usePages(
    'svc_list_competitor_watches',
    { workspaceId, limit: 50, detail: 'full' },
    (answer) => answer.competitorWatches,
    {
      on: ['watch'],
    },
  );
  return (
    <Loaded
      of={watches.resource}
      empty={{
        when: ({ items }) => items.length === 0,
        show: (
          <Empty icon="agents" title="No competitor is watched">
            <p>Ask your assistant to watch one, or call svc_create_competitor_watch.</p>
          </Empty>
        ),
      }}
    >
      {({ items }) => (
        <>
          {items.map((watch) => {
            const { competitorWatchId, name = '', status = 'paused' } = watch;
            return (
              <article key={competitorWatchId} class="card card-body" aria-label={name}>
                <header class="card-head">
                  <h2 class="entry-title">
                    <bdi>{name}</bdi>
                  </h2>
                  <StatusChip status={status} />
                  <PauseWatch
                    name={name}
                    status={status}
                    scope="competitors:write"
                    does={(pause) =>
                      pause
                        ? call('svc_pause_competitor_watch', { competitorWatchId })
                        : call('svc_resume_competitor_watch', { competitorWatchId })
                    }
                    onChanged={() => watches.resource.reload()}
                  />
                </header>
                <p class="small soft">
                  {watch.cadence} · {(watch.kinds ?? []).map(plainWords).join(', ')} ·{' '}
                  {counted(watch.findingsNew ?? 0, 'new finding')} ·{' '}
                  {spent(watch.creditsThisMonth ?? 0, watch.monthlyCreditLimit ?? null)}
                  {watch.nextCheckAt && status === 'active' ? (
                    <>
                      {' '}
                      · next look <Time at={watch.nextCheckAt} />
                    </>
                  ) : null}
                </p>
                {watch.pauseReason ? <p class="hint">{plainWords(watch.pauseReason)}</p> : null}
                <Findings competitorWatchId={competitorWatchId} name={name} />
              </article>
            );
          })}
          <More of={watches} />
        </>
      )}
    </Loaded>
  );
}

/** Credits of this month, of as many as there may be. */
export function spent(credits: number, limit: number | null): string {
  return `${counted(credits, 'credit')} this month${limit === null ? '' : ` of ${count(limit)}`}`;
}

/** Read when somebody opens them. */
function Findings({ competitorWatchId, name }: { competitorWatchId: string; name: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="more-about" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Findings<span class="unseen"> of {name}</span>
      </summary>
      {open ? (
        <>
          <Diagnosis target="competitor_watch" targetId={competitorWatchId} />
          <Found competitorWatchId={competitorWatchId} />
        </>
      ) : null}
    </details>
  );
}

function Found({ competitorWatchId }: { competitorWatchId: string }) {
  const findings = usePages('svc_get_competitor_watch', { competitorWatchId }, (answer) => answer.findings);
  return (
    <Loaded
      of={findings.resource}
      lines={3}
      empty={{ when: ({ items }) => items.length === 0, show: <p class="hint">Nothing was found yet.</p> }}
    >
      {({ items }) => (
        <>
          <ul class="findings">
            {items.map(({ findingId, kind = '', at, title = '', url = '', people = [] }) => (
              <li key={findingId}>
                <OutsideLink href={url}>
                  <bdi>{title || plainWords(kind)}</bdi>
                </OutsideLink>
                <p class="small soft">
                  {plainWords(kind)}
                  {at === undefined ? null : (
                    <>
                      {' '}
                      · <Time at={at} />
                    </>
                  )}
                  {people.map((person, place) => (
                    <span key={place}>
                      {' · '}
                      {person.leadId ? (
                        <a href={here.value('leads', person.leadId)}>
                          <bdi>{person.name}</bdi>
                        </a>
                      ) : (
                        <bdi>{person.name}</bdi>
                      )}
                    </span>
                  ))}
                </p>
              </li>
            ))}
          </ul>
          <More of={findings} />
        </>
      )}
    </Loaded>
  );
}
