import { useSignal } from '@preact/signals';
import { decidedIds } from '../../app/outbox.ts';
import { may, workspace } from '../../app/session.ts';
import { Select } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Key } from '../../parts/key.tsx';
import { answers, keepAnswer, sendAnswer, unanswerable } from './answers.ts';
import { CraftPanel } from './craft-panel.tsx';
import type { Thread } from './inbox-types.ts';

const LONGEST = 8_000;

/** Where an answer is written, by hand or from a draft. */
export function Composer({ thread, isMail, again }: { thread: Thread; isMail: boolean; again: () => void }) {
  const { conversationId: id } = thread.conversation;
  const timing = useSignal<'now' | 'paced'>('now');
  const crafts = useSignal(false);
  const body = answers.value.get(id) ?? '';
  const scope = isMail ? 'ext_integrations:write' : 'outreach:write';
  if (!may(scope)) return <p class="soft small composer">You may read this conversation; answering needs “{scope}”.</p>;
  const why = unanswerable({ thread, isMail });
  if (why !== undefined) return <p class="soft small composer">{why}</p>;
  const isOnItsWay = decidedIds.value.has(id);
  const isBlank = body.trim() === '';
  const send = (): void => {
    if (isBlank || isOnItsWay) return;
    sendAnswer({
      thread,
      workspaceId: workspace.value?.workspaceId ?? '',
      body,
      isMail,
      timing: timing.value,
      again,
    });
  };
  return (
    <form
      class="composer stack"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {crafts.value ? (
        <CraftPanel
          conversationId={id}
          onUse={(text) => {
            keepAnswer(id, text);
            crafts.value = false;
            document.getElementById('answer')?.focus();
          }}
          onClose={() => {
            crafts.value = false;
          }}
        />
      ) : null}
      <label class="unseen" for="answer">
        Your answer
      </label>
      <textarea
        id="answer"
        rows={4}
        maxLength={LONGEST}
        placeholder="Write an answer"
        value={body}
        onInput={(event) => keepAnswer(id, event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          send();
        }}
      />
      <div class="row">
        <button type="submit" class="button button-primary" disabled={isBlank || isOnItsWay}>
          <Icon name="send" /> {isOnItsWay ? 'On its way' : 'Send'}
        </button>
        <Select<'now' | 'paced'>
          label="When"
          quiet
          value={timing.value}
          options={[
            { value: 'now', label: 'At once' },
            { value: 'paced', label: 'At the next usual moment' },
          ]}
          onValue={(value) => {
            timing.value = value;
          }}
        />
        {may('inbox:write') && !crafts.value ? (
          <button
            type="button"
            class="button"
            onClick={() => {
              crafts.value = true;
            }}
          >
            <Icon name="spark" /> Draft an answer
          </button>
        ) : null}
        <span class="soft small grow">
          {isBlank ? (
            <>
              Sending stops the automatic sequence. <Key of="e" />
            </>
          ) : (
            `${body.length} characters`
          )}
        </span>
      </div>
    </form>
  );
}
