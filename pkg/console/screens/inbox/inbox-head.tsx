import type { Signal } from '@preact/signals';
import { Choice, Select, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { keysOn } from '../../parts/keys.ts';
import { useTyped } from '../../parts/use-typed.ts';
import { type Account, REPLY_CLASSES } from './inbox-types.ts';

type ReplyClass = 'positive' | 'neutral' | 'negative' | 'out_of_office' | 'unsubscribe' | 'referral';

/** Which conversations are seen; '': all of them. */
export interface TalkFilter {
  unread: boolean;
  accountId: string;
  wants: string;
  query: string;
}

export const NO_FILTER: TalkFilter = { unread: false, accountId: '', wants: '', query: '' };

/** The same as the tool takes it. */
export function asked({ unread, accountId, wants, query }: TalkFilter) {
  return {
    unreadOnly: unread,
    ...(accountId === '' ? {} : { networkAccountId: accountId }),
    ...(wants === '' ? {} : { replyClass: wants as ReplyClass }),
    ...(query === '' ? {} : { query }),
  };
}

/** Which conversations are seen. */
export function InboxHead({
  filter,
  accounts,
  onKeys,
}: {
  filter: Signal<TalkFilter>;
  accounts: readonly Account[];
  onKeys: () => void;
}) {
  const { unread, accountId, wants } = filter.value;
  const change = (with_: Partial<TalkFilter>): void => {
    filter.value = { ...filter.value, ...with_ };
  };
  return (
    <header class="screen-head inbox-head">
      <h1>Inbox</h1>
      <Choice<'all' | 'unread'>
        label="Which conversations"
        value={unread ? 'unread' : 'all'}
        options={[
          { value: 'all', label: 'All' },
          { value: 'unread', label: 'Unread' },
        ]}
        onValue={(value) => change({ unread: value === 'unread' })}
      />
      {accounts.length < 2 ? null : (
        <Select
          label="Account"
          quiet
          value={accountId}
          options={[
            { value: '', label: 'All accounts' },
            ...accounts.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onValue={(value) => change({ accountId: value })}
        />
      )}
      <Select
        label="What they want"
        quiet
        value={wants}
        options={[
          { value: '', label: 'Any answer' },
          ...Object.entries(REPLY_CLASSES).map(([value, { word }]) => ({ value, label: word })),
        ]}
        onValue={(value) => change({ wants: value })}
      />
      <Search onQuery={(query) => change({ query })} />
      <span class="grow" />
      <button type="button" class="button button-quiet keys-button" onClick={onKeys}>
        <Icon name="keyboard" /> Keys{keysOn.value ? '' : ' (off)'}
      </button>
    </header>
  );
}

/** Words of names and last messages; asked for once nothing more is typed. */
function Search({ onQuery }: { onQuery: (query: string) => void }) {
  const typed = useTyped(onQuery);
  return (
    <div class="inbox-search">
      <TextField
        label="Search names and last messages"
        quiet
        type="search"
        placeholder="Search"
        maxLength={200}
        {...typed}
      />
    </div>
  );
}
