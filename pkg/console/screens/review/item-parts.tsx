import { type Signal, useSignal } from '@preact/signals';
import { me } from '../../app/session.ts';
import { Diff } from '../../parts/diff.tsx';
import { MarkedText } from '../../parts/facts/facts.tsx';
import { Choice } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Key } from '../../parts/key.tsx';
import { Time } from '../../parts/time.tsx';
import { nameOf } from './decisions.ts';
import { keepEdit } from './review-edits.ts';
import type { ReviewItem } from './review-types.ts';

type View = 'text' | 'changes';

/** The text with its facts, or what became of the first draft. @param fact the one that is looked at */
export function ItemText({ item, fact }: { item: ReviewItem; fact: Signal<number | null> }) {
  const view = useSignal<View>('text');
  return (
    <article class="card item-text">
      {item.originalBody === null ? null : (
        <Choice<View>
          label="What is shown"
          value={view.value}
          options={[
            { value: 'text', label: 'Text' },
            { value: 'changes', label: 'Changes to the first draft' },
          ]}
          onValue={(value) => {
            view.value = value;
          }}
        />
      )}
      {item.subject ? <p class="item-subject">{item.subject}</p> : null}
      {view.value === 'changes' && item.originalBody !== null ? (
        <Diff before={item.originalBody} after={item.body} />
      ) : (
        <MarkedText body={item.body} facts={item.facts} chosen={fact} />
      )}
    </article>
  );
}

/** What can be done with a draft, and what comes of it. */
export function ItemButtons({
  item,
  zone,
  onApprove,
  onEdit,
  onReject,
}: {
  item: ReviewItem;
  zone: string | null;
  onApprove: () => void;
  onEdit: () => void;
  onReject: () => void;
}) {
  return (
    <div class="item-deeds">
      <button
        type="button"
        class="button button-primary"
        // The second click of two was meant for the draft before.
        onClick={(event) => (event.detail > 1 ? undefined : onApprove())}
      >
        <Icon name="check" /> Approve <Key of="a" />
      </button>
      <button type="button" class="button" onClick={onEdit}>
        <Icon name="edit" /> Change <Key of="e" />
      </button>
      <button type="button" class="button button-danger" onClick={onReject}>
        <Icon name="close" /> Reject <Key of="r" />
      </button>
      <WhatNext item={item} zone={zone} />
    </div>
  );
}

const CHANNELS: Readonly<Record<string, string>> = {
  note: 'Note with a connection request',
  connection_note: 'Note with a connection request',
  message: 'Message',
  inmail: 'InMail',
  mail: 'Mail',
  comment: 'Comment',
};

/** For whom it is, by which way, and how long it waits. */
export function ItemHead({ item, zone }: { item: ReviewItem; zone: string | null }) {
  return (
    <header class="item-head">
      <h2>{nameOf(item)}</h2>
      <p class="soft">{[item.title, item.company].filter(Boolean).join(', ')}</p>
      <p class="item-about small">
        <span>{CHANNELS[item.channel] ?? item.channel}</span>
        {item.workflowName === '' ? null : <span>{item.workflowName}</span>}
        {item.expiresAt === null || item.state !== 'pending' ? null : (
          <span>
            decide until <Time at={item.expiresAt} zone={zone} />
          </span>
        )}
        <span>{item.body.length} characters</span>
      </p>
    </header>
  );
}

/** From whom it is sent, and when at the earliest. */
function WhatNext({ item, zone }: { item: ReviewItem; zone: string | null }) {
  return (
    <p class="item-next small">
      <Icon name="send" size={16} />
      <span>
        {item.sender === null ? 'An account is chosen when it is sent' : `From ${item.sender}`}
        {item.earliestAt === null ? (
          ', once its hours open'
        ) : (
          <>
            , at the earliest <Time at={item.earliestAt} zone={zone} />
          </>
        )}
      </span>
    </p>
  );
}

/** What became of it, where somebody decided. */
export function StateBanner({ item }: { item: ReviewItem }) {
  if (item.state === 'pending') return null;
  const isMine = item.decidedBy !== null && item.decidedBy === me.value?.user.email;
  const who = isMine ? 'You' : (item.decidedBy ?? '');
  return (
    <div class="banner" role="status">
      <Icon name="info" />
      <span>
        {item.decidedBy === null ? `This draft is ${item.state}.` : `${who} decided: ${item.state}`}
        {item.decidedAt === null ? null : (
          <>
            , <Time at={item.decidedAt} />
          </>
        )}
        {item.reason ? <> “{item.reason}”</> : null}
      </span>
    </div>
  );
}

/** Somebody changed the text while it was read here. */
export function ChangedBanner({
  before,
  item,
  isEditing,
  onSeen,
}: {
  before: string;
  item: ReviewItem;
  isEditing: boolean;
  onSeen: () => void;
}) {
  return (
    <div class="conflict" role="alert">
      <p class="conflict-title">
        <Icon name="warning" /> Somebody changed this draft since you opened it (version {item.version}).
      </p>
      <Diff before={before} after={item.body} />
      <div class="row">
        <button type="button" class="button button-small" onClick={onSeen}>
          {isEditing ? 'Keep my text instead' : 'I have read the change'}
        </button>
        {isEditing ? (
          <button type="button" class="button button-small" onClick={() => keepEdit(item.reviewItemId, undefined)}>
            Drop my text, take this one
          </button>
        ) : null}
      </div>
    </div>
  );
}
