import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useResource } from '../../api/resource.ts';
import { here } from '../../app/address.ts';
import { decidedIds } from '../../app/outbox.ts';
import { Facts } from '../../parts/facts/facts.tsx';
import { FlagList } from '../../parts/facts/flags.tsx';
import { Icon } from '../../parts/icon.tsx';
import { LeadCard } from '../../parts/lead/lead-card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { say } from '../../parts/toasts.tsx';
import { type After, approveAll, approveEdited, nameOf, rejectAll, seenBefore } from './decisions.ts';
import { Editor } from './editor.tsx';
import { type ItemDeeds, NO_DEEDS } from './item-deeds.ts';
import { ChangedBanner, ItemButtons, ItemHead, ItemText, StateBanner } from './item-parts.tsx';
import { RejectDialog } from './reject-dialog.tsx';
import { edits, keepEdit } from './review-edits.ts';
import { decides } from './review-rights.ts';
import type { ReviewDetail } from './review-types.ts';
import { isSettling, useShown } from './settling.ts';
import { Talk } from './talk.tsx';

/** The draft after the one that is read, read ahead. */
const ahead = new Map<string, Promise<ReviewDetail>>();

function readDetail(id: string, signal: AbortSignal): Promise<ReviewDetail> {
  const known = ahead.get(id);
  ahead.delete(id);
  return known ?? call('svc_get_review_item', { reviewItemId: id }, { signal });
}

export interface ItemPaneProps {
  id: string;
  nextId: string | undefined;
  /** Where keys find what they do. */
  deeds: Signal<ItemDeeds>;
  onDecided: (id: string) => void;
  after: After;
}

/** The draft that is read: flags, text and facts, who gets it from whom and when, and what can be done. */
export function ItemPane({ id, nextId, deeds, onDecided, after }: ItemPaneProps) {
  const detail = useResource((signal) => readDetail(id, signal), [id], { on: ['review', 'run', 'message', 'reply'] });
  const { data } = detail.state.value;
  useEffect(() => {
    if (data === undefined || nextId === undefined || ahead.has(nextId)) return;
    ahead.clear();
    const reading = call('svc_get_review_item', { reviewItemId: nextId });
    ahead.set(nextId, reading);
    reading.catch(() => ahead.delete(nextId));
  }, [data, nextId]);
  return (
    <section class="review-item" aria-label="Draft">
      <a class="button button-quiet button-small review-back" href={here.value('review')}>
        <Icon name="left" size={16} /> All drafts
      </a>
      <Loaded of={detail} lines={9}>
        {(read) => <Item detail={read} {...{ deeds, onDecided, after }} />}
      </Loaded>
    </section>
  );
}

function Item({
  detail: { reviewItem: item, lead, conversation },
  deeds,
  onDecided,
  after,
}: { detail: ReviewDetail } & Pick<ItemPaneProps, 'deeds' | 'onDecided' | 'after'>) {
  const id = item.reviewItemId;
  useShown(id);
  /** The text as the member saw it first: another one has to be seen before it is decided. */
  const seen = useSignal(seenBefore.get(id) ?? { version: item.version, body: item.body });
  const rejects = useSignal(false);
  const reason = useSignal('');
  const fact = useSignal<number | null>(null);
  const edit = edits.value.get(id);
  const isOpen = item.state === 'pending' && decides() && !decidedIds.value.has(id);
  const changed = isOpen && item.version !== seen.value.version;

  const begin = (): void => {
    keepEdit(id, { body: item.body, subject: item.subject, version: item.version, before: item.body });
  };
  /** Whether it may be decided as it was read. */
  const isRead = (): boolean => {
    if (changed) say('The text was changed since you opened it. Look at what is new first.');
    return !changed;
  };
  const approve = (): void => {
    if (isSettling() || !isRead()) return;
    if (edit) approveEdited(item, edit, after);
    else approveAll([item], after);
    onDecided(id);
  };
  const reject = (): void => {
    rejects.value = isRead();
  };
  // With what is seen, not a frame later: a key pressed meanwhile would do what the draft before allowed.
  useLayoutEffect(() => {
    // A text that is being changed is approved by its own button.
    const open = edit ? { ...NO_DEEDS, reject } : { approve, edit: begin, reject };
    deeds.value = isOpen ? open : NO_DEEDS;
    return () => {
      deeds.value = NO_DEEDS;
    };
  });

  return (
    <>
      <div class="item-main">
        <ItemHead item={item} zone={lead.timezone} />
        <StateBanner item={item} />
        {changed ? (
          <ChangedBanner
            before={edit?.before ?? seen.value.body}
            item={item}
            isEditing={edit !== undefined}
            onSeen={() => {
              seenBefore.delete(id);
              seen.value = { version: item.version, body: item.body };
              if (edit) keepEdit(id, { ...edit, version: item.version, before: item.body });
            }}
          />
        ) : null}
        <FlagList flags={item.riskFlags} />
        {edit && isOpen ? (
          <Editor item={item} edit={edit} isChanged={changed} onApprove={approve} />
        ) : (
          <ItemText item={item} fact={fact} />
        )}
        {edit && !isOpen && !decidedIds.value.has(id) ? <NotTaken id={id} body={edit.body} /> : null}
        {isOpen && !edit ? (
          <ItemButtons item={item} zone={lead.timezone} onApprove={approve} onEdit={begin} onReject={reject} />
        ) : null}
        <Talk messages={conversation} zone={lead.timezone} />
      </div>
      <aside class="item-side" aria-label="Facts and lead">
        <Facts body={edit?.body ?? item.body} facts={item.facts} chosen={fact} zone={lead.timezone} />
        <LeadCard lead={lead} />
      </aside>
      {rejects.value ? (
        <RejectDialog
          title={`Reject the draft for ${nameOf(item)}`}
          reason={reason}
          onClose={() => {
            rejects.value = false;
          }}
          onReject={(reason, next) => {
            rejects.value = false;
            // It may have changed behind the dialog; the reason stays for when that was read.
            if (!isRead()) return;
            rejectAll([item], reason, next, after);
            onDecided(id);
          }}
        />
      ) : null}
    </>
  );
}

/** What somebody typed for a draft that was decided meanwhile with another text. */
function NotTaken({ id, body }: { id: string; body: string }) {
  return (
    <div class="conflict" role="alert">
      <p class="conflict-title">
        <Icon name="warning" /> Your text was not taken: the draft was decided with another one.
      </p>
      <p class="pre">{body}</p>
      <div class="row">
        <button type="button" class="button button-small" onClick={() => keepEdit(id, undefined)}>
          Drop my text
        </button>
      </div>
    </div>
  );
}
