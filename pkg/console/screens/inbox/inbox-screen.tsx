import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { usePages } from '../../api/pages.ts';
import { useGo } from '../../app/address.ts';
import type { ScreenProps } from '../../app/screen-props.ts';
import { workspace } from '../../app/session.ts';
import { Choice, Select, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { keysOn, useKeys } from '../../parts/keys.ts';
import { KeysDialog } from '../../parts/keys-dialog.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { useAccounts } from './accounts.ts';
import { REPLY_CLASSES } from './inbox-types.ts';
import { TalkList } from './talk-list.tsx';
import { ThreadPane } from './thread-pane.tsx';
import './inbox.css';

type Which = 'all' | 'unread';
type ReplyClass = 'positive' | 'neutral' | 'negative' | 'out_of_office' | 'unsubscribe' | 'referral';

const KEYS: readonly (readonly [string, string])[] = [
  ['j', 'Next conversation'],
  ['k', 'Conversation before'],
  ['e', 'Write an answer'],
  ['?', 'This list, and the switch of keys'],
];

/** Longer than people pause while they type. */
const TYPING_MS = 350;

/** Conversations of all accounts, and the one that is read. `rest` is the id of that one. */
export default function InboxScreen({ rest }: ScreenProps) {
  const workspaceId = workspace.value?.workspaceId ?? '';
  const which = useSignal<Which>('all');
  const accountId = useSignal('');
  const wants = useSignal('');
  const typed = useSignal('');
  const query = useSignal('');
  const showsKeys = useSignal(false);
  const go = useGo();
  const accounts = useAccounts(workspaceId);
  useEffect(() => {
    const timer = setTimeout(() => {
      query.value = typed.value.trim();
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  const pages = usePages(
    'svc_list_conversations',
    {
      workspaceId,
      detail: 'full',
      limit: 40,
      unreadOnly: which.value === 'unread',
      ...(accountId.value === '' ? {} : { networkAccountId: accountId.value }),
      ...(wants.value === '' ? {} : { replyClass: wants.value as ReplyClass }),
      ...(query.value === '' ? {} : { query: query.value }),
    },
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
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    e: () => document.getElementById('answer')?.focus(),
    '?': () => {
      showsKeys.value = true;
    },
  });
  const firstId = rows[0]?.conversationId;
  useEffect(() => {
    if (rest === '' && firstId !== undefined && matchMedia('(min-width: 60rem)').matches) show(firstId);
  }, [rest, firstId]);
  const known = accounts.state.value.data ?? [];
  const isFiltered = which.value === 'unread' || accountId.value !== '' || wants.value !== '' || query.value !== '';

  return (
    <div class={rest === '' ? 'inbox' : 'inbox inbox-reading'}>
      <header class="screen-head inbox-head">
        <h1>Inbox</h1>
        <Choice<Which>
          label="Which conversations"
          value={which.value}
          options={[
            { value: 'all', label: 'All' },
            { value: 'unread', label: 'Unread' },
          ]}
          onValue={(value) => {
            which.value = value;
          }}
        />
        {known.length < 2 ? null : (
          <Select
            label="Account"
            quiet
            value={accountId.value}
            options={[
              { value: '', label: 'All accounts' },
              ...known.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onValue={(value) => {
              accountId.value = value;
            }}
          />
        )}
        <Select
          label="What they want"
          quiet
          value={wants.value}
          options={[
            { value: '', label: 'Any answer' },
            ...Object.entries(REPLY_CLASSES).map(([value, { word }]) => ({ value, label: word })),
          ]}
          onValue={(value) => {
            wants.value = value;
          }}
        />
        <div class="inbox-search">
          <TextField
            label="Search names and last messages"
            quiet
            type="search"
            placeholder="Search"
            maxLength={200}
            value={typed.value}
            onValue={(value) => {
              typed.value = value;
            }}
          />
        </div>
        <span class="grow" />
        <button
          type="button"
          class="button button-quiet keys-button"
          onClick={() => {
            showsKeys.value = true;
          }}
        >
          <Icon name="keyboard" /> Keys{keysOn.value ? '' : ' (off)'}
        </button>
      </header>
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
