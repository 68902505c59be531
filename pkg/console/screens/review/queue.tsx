import { useEffect, useRef } from 'preact/hooks';
import type { Pages } from '../../api/pages.ts';
import { here } from '../../app/address.ts';
import { Chip } from '../../parts/chip.tsx';
import { FlagChips } from '../../parts/facts/flags.tsx';
import { More } from '../../parts/more.tsx';
import { Time, until } from '../../parts/time.tsx';
import { nameOf } from './decisions.ts';
import type { QueueRow } from './review-types.ts';

/** Hours before its end in which a draft hurries. */
const HURRY_MS = 4 * 3_600_000;

interface QueueProps {
  rows: readonly QueueRow[];
  current: string;
  /** Ids; null: nothing can be picked. */
  picked: readonly string[] | null;
  onPick: (id: string) => void;
  pages: Pages<QueueRow>;
}

/** Drafts, those that hurry first. */
export function Queue({ rows, current, picked, onPick, pages }: QueueProps) {
  return (
    <>
      <ul class="queue" aria-label="Drafts">
        {rows.map((row) => (
          <QueueLine
            key={row.reviewItemId}
            row={row}
            isCurrent={row.reviewItemId === current}
            {...{ picked, onPick }}
          />
        ))}
      </ul>
      <More of={pages} block />
    </>
  );
}

function QueueLine({
  row,
  isCurrent,
  picked,
  onPick,
}: { row: QueueRow; isCurrent: boolean } & Pick<QueueProps, 'picked' | 'onPick'>) {
  const line = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isCurrent) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    <li ref={line} class={isCurrent ? 'queue-line queue-current' : 'queue-line'}>
      {picked === null ? null : (
        <label class="queue-pick">
          <input
            type="checkbox"
            checked={picked.includes(row.reviewItemId)}
            onChange={() => onPick(row.reviewItemId)}
            aria-label={`Pick ${nameOf(row)}`}
          />
        </label>
      )}
      <a class="queue-link" href={here.value('review', row.reviewItemId)} aria-current={isCurrent ? 'true' : undefined}>
        <span class="queue-name">{nameOf(row)}</span>
        <Deadline row={row} />
        <span class="queue-company">{[row.title, row.company].filter(Boolean).join(', ')}</span>
        <span class="queue-text">{row.subject ? `${row.subject}: ${row.body}` : row.body}</span>
        <span class="queue-flags">
          <FlagChips flags={row.riskFlags} />
        </span>
      </a>
    </li>
  );
}

/** Until when somebody has to decide. */
function Deadline({ row: { expiresAt, state } }: { row: QueueRow }) {
  if (expiresAt === null || state !== 'pending') return null;
  const left = until(expiresAt);
  const hurries = new Date(expiresAt).getTime() - Date.now() < HURRY_MS;
  return (
    <span class="queue-time">
      {hurries && left !== '' ? <Chip tone="warn">{left} left</Chip> : <Time at={expiresAt} brief />}
    </span>
  );
}
