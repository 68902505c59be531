import { computed, effect, signal } from '@preact/signals';
import { type CallOptions, callsWithin, newKey } from '../api/call.ts';
import { type Failure, failureOf } from '../api/http.ts';
import { type Me, me, session } from './session.ts';
import { forgetUnsent, noteUnsent, unsentOfClosedTabs } from './unsent.ts';

/** What calls of a step are made with, whatever is looked at by then. */
export type SendOptions = Required<Pick<CallOptions, 'key' | 'workspaceId' | 'userId'>>;

/** One decision of a deed, about one record. */
export interface Step {
  recordId: string;
  /** Whom it is about. */
  label: string;
  /**
   * Sends it. It may be called again after an answer was lost, with the same key, and must not do it twice then.
   * @param within the key, who decided it, and the workspace in which they did
   * @throws Failure
   */
  send: (within: SendOptions) => Promise<void>;
}

/** What somebody decided and may still take back. */
export interface DeedOrder {
  /** What is done, as a button says it: `Approve`. */
  verb: string;
  /** As it is told afterwards: `approved`. */
  past: string;
  steps: readonly Step[];
  /** Where what it is about can be looked at. */
  path: string;
  /** What is said where it is refused: that what was written is not lost. */
  kept?: string;
  /** After it was taken back. */
  onUndo?: () => void;
  /** A step was refused; what was written for it must not get lost. */
  onRefused?: (step: Step, failure: Failure) => void;
}

export interface StepStand {
  step: Step;
  key: string;
  state: 'open' | 'done' | 'refused';
  failure?: Failure;
}

export interface Deed extends DeedOrder {
  id: string;
  /** Who decided it: nobody else sends it. */
  by: Me['user'];
  workspaceId: string | null;
  /** `held`: may be taken back; `stuck`: the server is away, it is sent again; `over`: what failed is to be read. */
  phase: 'held' | 'sending' | 'stuck' | 'over';
  /** Milliseconds until it is sent. */
  left: number;
  stands: readonly StepStand[];
  failure?: Failure | undefined;
}

/** How long a decision may be taken back before it is sent. */
const UNDO_MS = 10_000;
const TICK_MS = 250;
const FIRST_AGAIN_MS = 2_000;
const LONGEST_AGAIN_MS = 30_000;
/** Requests of a deed side by side. */
const AT_ONCE = 3;

/** What was decided and is not through yet. */
export const deeds = signal<readonly Deed[]>([]);

/** Where they are shown. */
export const OUTBOX_CLASS = 'outbox';

/**
 * Whether somebody looks at what may be taken back: it waits for them. It is asked each time, as what goes away under a pointer, or with
 * the focus, tells of neither.
 */
function isLookedAt(): boolean {
  const bar = document.querySelector(`.${OUTBOX_CLASS}`);
  if (bar === null) return false;
  // A finger that touched it once hovers for ever.
  const hovers = matchMedia('(hover: hover)').matches && bar.matches(':hover');
  return hovers || (document.hasFocus() && bar.matches(':focus-within'));
}

/** Whether somebody else is signed in by now than who decided it. */
export function isParked({ by }: Deed): boolean {
  return me.value !== undefined && me.value.user.userId !== by.userId;
}

/** Records about which something was decided that is not through: they wait for nobody. */
export const decidedIds = computed<ReadonlySet<string>>(
  () =>
    new Set(
      deeds.value
        .filter((deed) => deed.phase !== 'over' && !isParked(deed))
        .flatMap((deed) => deed.stands.filter((one) => one.state !== 'refused').map((one) => one.step.recordId)),
    ),
);

function change(id: string, with_: Partial<Deed>): void {
  deeds.value = deeds.value.map((deed) => (deed.id === id ? { ...deed, ...with_ } : deed));
}

/** Takes a decision: it is sent after {@link UNDO_MS}, unless it is taken back. */
export function decide(order: DeedOrder): void {
  const by = me.peek()?.user;
  if (!by) return;
  const id = newKey();
  const stands = order.steps.map((step): StepStand => ({ step, key: newKey(), state: 'open' }));
  const workspaceId = callsWithin.peek();
  deeds.value = [...deeds.value, { ...order, id, by, workspaceId, phase: 'held', left: UNDO_MS, stands }];
  note(id);
}

/** Takes back what is not sent yet, by default the last. @returns whether there was any */
export function undo(id = deeds.value.findLast((deed) => deed.phase === 'held' && !isParked(deed))?.id): boolean {
  const deed = deeds.value.find((one) => one.id === id && one.phase === 'held' && !isParked(one));
  if (!deed) return false;
  remove(deed.id);
  deed.onUndo?.();
  return true;
}

/** Sends what may still be taken back, or what is stuck, at once. */
export function sendNow(): void {
  for (const { id, phase } of deeds.value) if (phase === 'held' || phase === 'stuck') void send(id);
}

/** What failed was read. */
export function dismiss(id: string): void {
  const deed = deeds.value.find((one) => one.id === id);
  if (deed?.phase === 'over') remove(id);
}

/** Drops what is not sent of somebody who is not in any more. */
export function discard(id: string): void {
  const deed = deeds.value.find((one) => one.id === id);
  if (deed && isParked(deed) && deed.phase !== 'sending') remove(id);
}

function remove(id: string): void {
  deeds.value = deeds.value.filter((one) => one.id !== id);
  forgetUnsent(id);
}

/** What another page tells, should this one be closed. */
function note(id: string): void {
  const deed = deeds.value.find((one) => one.id === id);
  if (!deed) return;
  const open = deed.stands.filter((one) => one.state === 'open').map((one) => one.step.label);
  noteUnsent({ id, verb: deed.verb, labels: open, path: deed.path, wasSending: deed.phase !== 'held', at: Date.now() });
}

async function send(id: string, wait = FIRST_AGAIN_MS): Promise<void> {
  const deed = deeds.value.find((one) => one.id === id);
  if (!deed || deed.phase === 'sending' || deed.phase === 'over' || isParked(deed)) return;
  change(id, { phase: 'sending', failure: undefined });
  note(id);
  const open = deed.stands.filter((one) => one.state === 'open').values();
  const failures: Failure[] = [];
  const work = async (): Promise<void> => {
    for (const stand of open) {
      const failure = await sendStep(deed, stand);
      if (failure) failures.push(failure);
      if (failure) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const [failure] = failures;
  if (failure) return stick(id, failure, wait);
  const now = deeds.value.find((one) => one.id === id);
  if (now?.stands.some((one) => one.state === 'refused')) {
    forgetUnsent(id);
    change(id, { phase: 'over' });
  } else remove(id);
}

/** @returns why the rest has to wait */
async function sendStep(deed: Deed, { step, key }: StepStand): Promise<Failure | undefined> {
  const become = (with_: Partial<StepStand>): void => {
    const known = deeds.value.find((one) => one.id === deed.id)?.stands ?? [];
    change(deed.id, { stands: known.map((one) => (one.key === key ? { ...one, ...with_ } : one)) });
    note(deed.id);
  };
  try {
    await step.send({ key, workspaceId: deed.workspaceId, userId: deed.by.userId });
    become({ state: 'done' });
  } catch (error) {
    const failure = failureOf(error);
    if (failure.mayPass || isAnothers(failure)) return failure;
    become({ state: 'refused', failure });
    // What they wrote is nothing to somebody else who is in by now.
    if (!isParked(deed)) deed.onRefused?.(step, failure);
  }
  return undefined;
}

/** Nobody is in, or somebody else is. */
function isAnothers({ kind }: Failure): boolean {
  return kind === 'signed-out' || kind === 'somebody-else';
}

function stick(id: string, failure: Failure, wait: number): void {
  change(id, { phase: 'stuck', failure });
  // It goes on when they are in again.
  if (isAnothers(failure)) return;
  const pause = Math.max(wait, (failure.retryAfter ?? 0) * 1_000);
  setTimeout(() => void send(id, Math.min(wait * 2, LONGEST_AGAIN_MS)), pause);
}

/** Counts down, asks before the page is closed with something unsent, and goes on where somebody signed in again. */
export function keepOutbox(tellUnsent: (text: string, path: string) => void): void {
  setInterval(() => {
    const runs = (deed: Deed): boolean => deed.phase === 'held' && !isParked(deed);
    if (!deeds.value.some(runs) || isLookedAt()) return;
    deeds.value = deeds.value.map((deed) => (runs(deed) ? { ...deed, left: deed.left - TICK_MS } : deed));
    for (const deed of deeds.value) if (deed.phase === 'held' && deed.left <= 0) void send(deed.id);
  }, TICK_MS);
  addEventListener('beforeunload', (event) => {
    if (deeds.value.some((deed) => deed.phase !== 'over')) event.preventDefault();
  });
  effect(() => {
    if (session.value.kind !== 'in') return;
    for (const deed of deeds.peek()) if (deed.phase === 'stuck') void send(deed.id);
    for (const { text, path } of unsentOfClosedTabs()) tellUnsent(text, path);
  });
}
