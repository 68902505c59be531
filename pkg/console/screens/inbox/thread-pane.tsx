import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { type Failure, failureOf } from '../../api/http.ts';
import { type Resource, useTool } from '../../api/resource.ts';
import { here } from '../../app/address.ts';
import { may } from '../../app/session.ts';
import { Chip } from '../../parts/chip.tsx';
import { Icon } from '../../parts/icon.tsx';
import { FailureLine, Loaded } from '../../parts/loaded.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { say } from '../../parts/toasts.tsx';
import { Bubble } from './bubble.tsx';
import { Composer } from './composer.tsx';
import { type Account, type Message, REPLY_CLASSES, type Thread } from './inbox-types.ts';
import { LeadPane } from './lead-pane.tsx';

/** A conversation: what was said, where an answer is written, and who they are. */
export function ThreadPane({ id, accounts }: { id: string; accounts: Resource<readonly Account[]> }) {
  const thread = useTool(
    'svc_list_messages',
    { conversationId: id, limit: 50 },
    { on: ['message', 'reply', 'unsubscribe'], everyMs: 60_000 },
  );
  return (
    <section class="inbox-thread" aria-label="Conversation">
      <a class="button button-quiet button-small inbox-back" href={here.value('inbox')}>
        <Icon name="left" size={16} /> All conversations
      </a>
      <Loaded of={thread} lines={9}>
        {(read) => <Talk thread={read} again={thread.reload} accounts={accounts} />}
      </Loaded>
    </section>
  );
}

function Talk({
  thread,
  again,
  accounts,
}: {
  thread: Thread;
  again: () => void;
  accounts: Resource<readonly Account[]>;
}) {
  const { conversation } = thread;
  const { conversationId: id } = conversation;
  const older = useOlder(id, thread);
  const messages = [...thread.messages, ...older.messages];
  const end = useRef<HTMLLIElement>(null);
  const newest = thread.messages[0]?.messageId;
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [newest]);
  const known = accounts.state.value.data ?? [];
  const account = known.find((one) => one.id === conversation.networkAccountId);
  // Who may not know the accounts tells by the subject: messages of the network have none.
  const isMail = account ? account.kind === 'mail' : thread.messages.some(({ subject }) => subject !== null);
  return (
    <>
      <div class="thread">
        <ThreadHead thread={thread} account={account} again={again} />
        <ol class="thread-messages" aria-label="Messages">
          {older.hasMore ? (
            <li class="thread-older">
              <button type="button" class="button button-small" disabled={older.busy} onClick={older.more}>
                {older.busy ? 'Loading' : 'Show older'}
              </button>
              <FailureLine failure={older.failure} />
            </li>
          ) : null}
          {messages.toReversed().map((message) => (
            <Bubble key={message.messageId} message={message} name={conversation.participant.name} again={again} />
          ))}
          <li ref={end} aria-hidden="true" class="thread-end" />
        </ol>
        <Composer thread={thread} isMail={isMail} again={again} />
      </div>
      <aside class="thread-side" aria-label="Lead">
        <LeadPane leadId={conversation.leadId} conversationId={id} />
      </aside>
    </>
  );
}

/** Messages before the first page, as far as somebody asked for them. */
function useOlder(conversationId: string, { nextCursor }: Thread) {
  const messages = useSignal<readonly Message[]>([]);
  const cursor = useSignal<string | null | undefined>(undefined);
  const busy = useSignal(false);
  const failure = useSignal<Failure | undefined>(undefined);
  const next = cursor.value === undefined ? nextCursor : cursor.value;
  const more = async (): Promise<void> => {
    if (next === null) return;
    busy.value = true;
    failure.value = undefined;
    try {
      const page = await call('svc_list_messages', { conversationId, cursor: next, limit: 50 });
      messages.value = [...messages.value, ...page.messages];
      cursor.value = page.nextCursor;
    } catch (error) {
      failure.value = failureOf(error);
    }
    busy.value = false;
  };
  return {
    messages: messages.value,
    hasMore: next !== null,
    busy: busy.value,
    failure: failure.value,
    more: () => void more(),
  };
}

const HANDLERS: Readonly<Record<Thread['conversation']['handledBy']['kind'], string>> = {
  campaign: 'Campaign',
  signal_agent: 'Signal agent',
  human: 'A person writes by hand',
  none: 'Nobody of yours wrote first',
};

function ThreadHead({
  thread: { conversation },
  account,
  again,
}: {
  thread: Thread;
  account: Account | undefined;
  again: () => void;
}) {
  const { participant, unread, replyClass, handledBy, otherWorkspaces, conversationId } = conversation;
  const wants = REPLY_CLASSES[replyClass];
  const mark = async (read: boolean): Promise<void> => {
    try {
      await call('svc_mark_conversation_read', { conversationId, read });
      again();
    } catch (error) {
      say(failureOf(error).message, { tone: 'bad' });
    }
  };
  return (
    <header class="thread-head">
      <div class="grow">
        <h2>{participant.name || 'Somebody without a name'}</h2>
        <p class="soft small">{participant.headline}</p>
        <p class="row small">
          {wants ? <Chip tone={wants.tone}>{wants.word}</Chip> : null}
          <span class="soft">
            {HANDLERS[handledBy.kind]}
            {handledBy.name === null ? '' : ` “${handledBy.name}”`}
            {account ? `, account ${account.name}` : ''}
            {otherWorkspaces > 0 ? `, shared with ${otherWorkspaces} other workspaces` : ''}
          </span>
          {participant.profileUrl === '' ? null : <OutsideLink href={participant.profileUrl}>Profile</OutsideLink>}
        </p>
      </div>
      {may('inbox:write') ? (
        <button type="button" class="button button-small" onClick={() => void mark(unread > 0)}>
          {unread > 0 ? 'Mark as read' : 'Mark as unread'}
        </button>
      ) : null}
    </header>
  );
}
