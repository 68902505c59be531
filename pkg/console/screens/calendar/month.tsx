import { useState } from 'preact/hooks';
import type { Output } from '../../api/call.ts';
import { may } from '../../app/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { clockOf, type Day, dayOf, dayWords, startOf } from './days.ts';

export type Entry = Output<'svc_get_content_calendar'>['entries'][number];

interface Props {
  days: readonly Day[];
  /** Such as `2026-03`; days of its neighbours are paler. */
  month: string;
  today: Day;
  entries: readonly Entry[];
  /** Days of the workspace's zone without a post. */
  emptyDays: readonly Day[];
  /** @param to the day onto which it was dragged */
  onOpen: (contentPostId: string, to?: Day) => void;
}

const WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Days with their posts: a sheet of weeks, or where the screen is narrow one day below the other. */
export function Month({ days, month, today, entries, emptyDays, onOpen }: Props) {
  const [over, setOver] = useState<Day | undefined>(undefined);
  const byDay = new Map<Day, Entry[]>();
  for (const entry of entries) {
    const day = dayOf(new Date(entry.at));
    byDay.set(day, [...(byDay.get(day) ?? []), entry]);
  }
  const gaps = new Set(emptyDays);
  const soon = dayOf(new Date(startOf(today).getTime() + GAPS_MS));
  return (
    <>
      <div class="week-names" aria-hidden="true">
        {WEEK.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <ol class="month">
        {days.map((day) => {
          const posts = byDay.get(day) ?? [];
          const isGap = posts.length === 0 && gaps.has(day) && day >= today && day <= soon && isWorkday(day);
          const words = [
            'day',
            ...(day.startsWith(month) ? [] : ['day-beside']),
            ...(day === today ? ['day-today'] : []),
            ...(posts.length === 0 ? ['day-empty'] : []),
            ...(over === day ? ['day-over'] : []),
          ];
          return (
            <li
              key={day}
              class={words.join(' ')}
              data-day={day}
              aria-current={day === today ? 'date' : undefined}
              onDragOver={(event) => {
                if (!event.dataTransfer?.types.includes(DRAGGED)) return;
                event.preventDefault();
                setOver(day);
              }}
              onDragLeave={() => setOver((now) => (now === day ? undefined : now))}
              onDrop={(event) => {
                event.preventDefault();
                setOver(undefined);
                const id = event.dataTransfer?.getData(DRAGGED) ?? '';
                if (entries.some(({ contentPostId }) => contentPostId === id)) onOpen(id, day);
              }}
            >
              <h3 class="day-name">
                <span class="day-long">{dayWords(day)}</span>
                <span class="day-short" aria-hidden="true">
                  {Number(day.slice(8))}
                </span>
              </h3>
              {posts.length === 0 ? null : (
                <ul class="day-posts">
                  {posts.map((entry) => (
                    <Post key={entry.contentPostId} entry={entry} onOpen={onOpen} />
                  ))}
                </ul>
              )}
              {isGap ? <p class="day-gap">no post</p> : null}
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** Of the days to come, those whose gap is told: later ones fill themselves. */
const GAPS_MS = 14 * 86_400_000;
const DRAGGED = 'application/x-outrider-post';

const isWorkday = (day: Day): boolean => ![0, 6].includes(startOf(day).getDay());

function Post({ entry, onOpen }: { entry: Entry; onOpen: Props['onOpen'] }) {
  const { contentPostId, state, at, title, clash } = entry;
  const moves = state === 'scheduled' && may('content:write');
  return (
    <li>
      <button
        type="button"
        class={`post post-${state}`}
        draggable={moves}
        onDragStart={(event) => {
          event.dataTransfer?.setData(DRAGGED, contentPostId);
          if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
        }}
        onClick={() => onOpen(contentPostId)}
      >
        <span class="post-clock">{clockOf(new Date(at))}</span>
        <span class="post-title">
          <bdi>{title || 'without a text'}</bdi>
        </span>
        <span class="unseen">, {state}</span>
        {clash ? (
          <span class="post-clash" title="Another post of the account is within an hour.">
            <Icon name="warning" size={14} />
            <span class="unseen">, clashes with another post of the account</span>
          </span>
        ) : null}
        {state === 'published' ? (
          <span class="post-done">
            <Icon name="check" size={14} />
          </span>
        ) : null}
      </button>
    </li>
  );
}
