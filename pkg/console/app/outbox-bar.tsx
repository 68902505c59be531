import { Icon } from '../parts/icon.tsx';
import { type Deed, deeds, discard, dismiss, isParked, OUTBOX_CLASS, sendNow, undo } from './outbox.ts';

/** More would hide the page. */
const MOST = 3;

/** What was decided and may still be taken back; while somebody is at it, it waits. */
export function OutboxBar() {
  const all = deeds.value;
  if (all.length === 0) return null;
  const shown = all.slice(-MOST);
  const more = all.length - shown.length;
  const waits = all.some((deed) => deed.phase === 'held' && !isParked(deed));
  return (
    <section class={OUTBOX_CLASS} aria-label="Decisions that are not sent yet">
      <div role="status">
        {more > 0 ? <p class="outbox-more">and {more} more</p> : null}
        {shown.map((deed) => (
          <DeedLine key={deed.id} deed={deed} />
        ))}
      </div>
      {waits ? (
        <p class="outbox-foot">
          <span>Nothing is sent before the time is over, nor when you close the page.</span>
          <button type="button" class="button button-quiet button-small" onClick={sendNow}>
            Send now
          </button>
        </p>
      ) : null}
    </section>
  );
}

function whom({ stands }: Deed): string {
  return stands.length === 1 ? (stands[0]?.step.label ?? '') : `${stands.length} items`;
}

function DeedLine({ deed }: { deed: Deed }) {
  const { id, verb, phase } = deed;
  if (isParked(deed)) return <Parked deed={deed} />;
  if (phase === 'over') return <Outcome deed={deed} />;
  return (
    <p class="outbox-line">
      <Icon name={phase === 'stuck' ? 'warning' : phase === 'held' ? 'clock' : 'send'} size={16} />
      <span class="outbox-text">
        {verb}: <strong>{whom(deed)}</strong>
        {phase === 'stuck' ? <span class="outbox-why"> {stuckWords(deed)}</span> : null}
        {phase === 'sending' ? <span class="outbox-why"> {progress(deed)}</span> : null}
      </span>
      {phase === 'held' ? (
        <>
          <span class="outbox-left" aria-hidden="true">
            {Math.max(0, Math.ceil(deed.left / 1_000))} s
          </span>
          <button type="button" class="button button-small" onClick={() => undo(id)}>
            <Icon name="undo" size={16} /> Undo<span class="unseen"> {whom(deed)}</span>
          </button>
        </>
      ) : null}
      {phase === 'stuck' ? (
        <button type="button" class="button button-small" onClick={sendNow}>
          Try now
        </button>
      ) : null}
    </p>
  );
}

/** What somebody decided who is not in any more: it is theirs alone, and so is about whom. */
function Parked({ deed: { id, verb, by } }: { deed: Deed }) {
  return (
    <p class="outbox-line">
      <Icon name="warning" size={16} />
      <span class="outbox-text">
        {verb}: <strong>decided by {by.name || by.email}</strong>
        <span class="outbox-why"> not sent; it waits until they are signed in here again</span>
      </span>
      <button type="button" class="button button-small" onClick={() => discard(id)}>
        Drop it
      </button>
    </p>
  );
}

function stuckWords({ failure }: Deed): string {
  if (failure?.kind === 'signed-out') return 'waits until you are signed in again';
  return `not sent yet, it is tried again: ${failure?.message ?? ''}`;
}

function progress({ stands }: Deed): string {
  const done = stands.filter((one) => one.state !== 'open').length;
  return stands.length === 1 ? 'sending' : `${done} of ${stands.length}`;
}

/** What became of each, where not all went well. */
function Outcome({ deed }: { deed: Deed }) {
  const refused = deed.stands.filter((one) => one.state === 'refused');
  const done = deed.stands.length - refused.length;
  return (
    <div class="outbox-over">
      <p class="outbox-line">
        <Icon name="warning" size={16} />
        <span class="outbox-text">
          {done > 0 ? `${done} ${deed.past}, ` : `${deed.verb}: `}
          <strong>{deed.stands.length > 1 ? `${refused.length} not done` : 'not done'}</strong>
          {deed.kept === undefined ? null : <span class="outbox-why"> {deed.kept}</span>}
        </span>
        <a class="button button-small" href={deed.path} onClick={() => dismiss(deed.id)}>
          Look
        </a>
        <button type="button" class="button button-small" onClick={() => dismiss(deed.id)}>
          Close
        </button>
      </p>
      <ul>
        {refused.map(({ step, failure }) => (
          <li key={step.recordId}>
            <strong>{step.label}</strong>: {failure?.message}
          </li>
        ))}
      </ul>
    </div>
  );
}
