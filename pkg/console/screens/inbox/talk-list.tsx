import { useEffect, useRef } from 'preact/hooks';
import type { Pages } from '../../api/pages.ts';
import { here } from '../../app/address.ts';
import { Chip } from '../../parts/chip.tsx';
import { Icon } from '../../parts/icon.tsx';
import { More } from '../../parts/more.tsx';
import { Time } from '../../parts/time.tsx';
import { type Account, REPLY_CLASSES, type TalkRow } from './inbox-types.ts';

interface ListProps {
  rows: readonly TalkRow[];
  current: string;
  accounts: readonly Account[];
  pages: Pages<TalkRow>;
}

/** Conversations, the newest first. */
export function TalkList({ rows, current, accounts, pages }: ListProps) {
  return (
    <>
      <ul class="talks" aria-label="Conversations">
        {rows.map((row) => (
          <TalkLine key={row.conversationId} row={row} isCurrent={row.conversationId === current} accounts={accounts} />
        ))}
      </ul>
      <More of={pages} block />
    </>
  );
}

function TalkLine({ row, isCurrent, accounts }: { row: TalkRow; isCurrent: boolean; accounts: readonly Account[] }) {
  const line = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isCurrent) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  const unread = (row.unread ?? 0) > 0;
  const wants = REPLY_CLASSES[row.replyClass ?? ''];
  const account = accounts.find(({ id }) => id === row.networkAccountId);
  const names = ['talk-line', isCurrent ? 'talk-current' : '', unread ? 'talk-unread' : ''].filter(Boolean).join(' ');
  return (
    <li ref={line} class={names}>
      <a class="talk-link" href={here.value('inbox', row.conversationId)} aria-current={isCurrent ? 'true' : undefined}>
        <span class="talk-name">
          {unread ? (
            <span class="talk-dot">
              <span class="unseen">Unread: </span>
            </span>
          ) : null}
          {row.participant?.name || 'Somebody without a name'}
        </span>
        <span class="talk-time">{row.lastMessageAt === undefined ? null : <Time at={row.lastMessageAt} brief />}</span>
        <span class="talk-preview">{row.preview}</span>
        <span class="talk-about">
          {wants ? <Chip tone={wants.tone}>{wants.word}</Chip> : null}
          {account && accounts.length > 1 ? (
            <span class="talk-account">
              <Icon name={account.kind === 'mail' ? 'mail' : 'person'} size={14} /> {account.name}
            </span>
          ) : null}
        </span>
      </a>
    </li>
  );
}
