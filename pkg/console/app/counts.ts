import { effect, signal } from '@preact/signals';
import { call } from '../api/call.ts';
import { onChange } from '../api/events.ts';
import { may, workspace } from './session.ts';

/** What waits, by the path of the screen where it is dealt with. */
export const waiting = signal<Readonly<Record<string, number>>>({});

const GATHER_MS = 800;
const EVERY_MS = 120_000;
let timer = 0;

/** Counts again soon, once for all that ask until then. */
export function countSoon(): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => void count(), GATHER_MS);
}

async function count(): Promise<void> {
  const of = workspace.value;
  if (!of) return;
  const { workspaceId } = of;
  const [review, inbox, notifications] = await Promise.all([
    may('workflows:read')
      ? call('svc_list_review_items', { workspaceId, limit: 1, fields: [] }).then((answer) => answer.pendingCount)
      : 0,
    may('inbox:read') ? call('svc_get_unread_counts', { workspaceId }).then((answer) => answer.total) : 0,
    may('notifications:read')
      ? call('svc_get_unread_notification_count', { workspaceId }).then((answer) => answer.unread)
      : 0,
  ]).catch(() => [undefined, undefined, undefined] as const);
  // Somebody may look at another workspace by now.
  if (workspace.value?.workspaceId !== workspaceId) return;
  const known = waiting.value;
  waiting.value = {
    ...known,
    review: review ?? known['review'] ?? 0,
    inbox: inbox ?? known['inbox'] ?? 0,
    notifications: notifications ?? known['notifications'] ?? 0,
  };
}

/** Counts what waits in the workspace that is looked at, as it changes. */
export function keepCounts(): void {
  effect(() => {
    if (workspace.value === undefined) return;
    waiting.value = {};
    void count();
  });
  // Words of strangers are not told of.
  setInterval(() => {
    if (!document.hidden) countSoon();
  }, EVERY_MS);
  onChange((change) => {
    if (change === 'missed' || COUNTED.has(change.recordType)) countSoon();
  });
}

/** By the first word of what happened: of these somebody may have to do something, or is told. */
const COUNTED: ReadonlySet<string> = new Set(
  'account connection content credits import key mail meeting member message reply review run send'.split(' '),
);
