import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { usePages } from '../../api/pages.ts';
import { useGo } from '../../app/address.ts';
import type { ScreenProps } from '../../app/screen-props.ts';
import { workspace } from '../../app/session.ts';
import { useKeys } from '../../parts/keys.ts';
import { KeysDialog } from '../../parts/keys-dialog.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { useAccounts } from './accounts.ts';
import { asked, InboxHead, NO_FILTER, type TalkFilter } from './inbox-head.tsx';
import { TalkList } from './talk-list.tsx';
import { ThreadPane } from './thread-pane.tsx';
import './inbox.css';

const KEYS: readonly (readonly [string, string])[] = [
  ['j', 'Next conversation'],
  ['k', 'Conversation before'],
  ['e', 'Write an answer'],
  ['?', 'This list, and the switch of keys'],
];

/** Conversations of all accounts, and the one that is read. `rest` is the id of that one. */
export default function InboxScreen({ rest }: ScreenProps) {
  const workspaceId = workspace.value?.workspaceId ?? '';
  const filter = useSignal<TalkFilter>(NO_FILTER);
  const showsKeys = useSignal(false);
  const go = useGo();
  const accounts = useAccounts(workspaceId);
  const pages = usePages(
    'svc_list_conversations',
    { workspaceId, detail: 'full', limit: 40, ...asked(filter.value) },
    (answer) => answer.conversations,
    { on: ['message', 'reply', 'unsubscribe', 'connection'], everyMs: 60_000 },
  );
  const rows = pages.resource.state.value.data?.items ?? [];
  const place = rows.findIndex((row) => row.conversationId === rest);
  const show = (id: string): void => go('inbox', id, { replace: rest !== '' });
  const step = (by: 1 | -1): void => {
    const next = rows[place < 0 ? 0 : place + by];
    if (next) show(next.conversationId);
  };
  const showKeys = (): void => {
    showsKeys.value = true;
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    e: () => document.getElementById('answer')?.focus(),
    '?': showKeys,
  });
  const firstId = rows[0]?.conversationId;
  useEffect(() => {
    if (rest === '' && firstId !== undefined && matchMedia('(min-width: 60rem)').matches) show(firstId);
  }, [rest, firstId]);
  const known = accounts.state.value.data ?? [];
  const isFiltered = JSON.stringify(filter.value) !== JSON.stringify(NO_FILTER);

  return (
    <div class={rest === '' ? 'inbox' : 'inbox inbox-reading'}>
      <InboxHead filter={filter} accounts={known} onKeys={showKeys} />
      <div class="inbox-list">
        <Loaded
          of={pages.resource}
          lines={8}
          empty={{ when: ({ items }) => items.length === 0, show: <NoTalk isFiltered={isFiltered} /> }}
        >
          {({ items }) => <TalkList rows={items} current={rest} accounts={known} pages={pages} />}
        </Loaded>
      </div>
      {rest === '' ? (
        <div class="inbox-thread inbox-none">
          {rows.length > 0 ? <Empty icon="inbox" title="Choose a conversation to read it" /> : null}
        </div>
      ) : (
        <ThreadPane key={rest} id={rest} accounts={accounts} />
      )}
      {showsKeys.value ? (
        <KeysDialog
          keys={KEYS}
          onClose={() => {
            showsKeys.value = false;
          }}
        />
      ) : null}
    </div>
  );
}

function NoTalk({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty icon="search" title="No conversation is like that" />;
  return (
    <Empty icon="inbox" title="No conversations yet">
      <p>What people write to the accounts of this workspace comes here by itself.</p>
    </Empty>
  );
}
