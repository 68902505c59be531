import { OPERATOR_MANAGER } from '../tools/resources/write-context.ts';

/** Names that operator, node agent and people meet on our objects. */
export const FIELD_MANAGER = OPERATOR_MANAGER;

/** The Lease that one replica of the operator holds, in the home namespace. */
export const OPERATOR_LEASE = 'outrider-operator';

/** `"true"` lets an object go although its rows could not be tombstoned. */
export const FORCE_DELETE = 'outrider.dev/force-delete';

/** RFC 3339 time: releases the holds that tools placed on the object before it (a later stop holds again). */
export const RELEASE_HOLD = 'outrider.dev/release-hold';

/** On a Pod: `<namespace>/<name>` of the Workspace that it works for. */
export const WORKSPACE_ANNOTATION = 'outrider.dev/workspace';

/** On a Pod: hash of what it was made from; a Pod of another hash is drained and made anew. */
export const TEMPLATE_ANNOTATION = 'outrider.dev/template';

export const LABELS = {
  component: 'app.kubernetes.io/component',
  managedBy: 'app.kubernetes.io/managed-by',
  name: 'app.kubernetes.io/name',
  role: 'outrider.dev/role',
  workspaceUid: 'outrider.dev/workspace-uid',
} as const;

/** Selects every Pod that we make. */
export const POD_SELECTOR = `${LABELS.name}=outrider,${LABELS.component}=executor`;

export const ACCOUNTS_POD = 'ex-accounts';

/** Name of a Pod of the pool: fixed by its number, so that a new one inherits the seats of the one before. */
export function poolPodName(number: number): string {
  return `ex-pool-${number}`;
}

/** Number of a Pod of the pool; undefined: it is none. */
export function poolNumber(name: string): number | undefined {
  const digits = /^ex-pool-(0|[1-9]\d{0,3})$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Name of a workspace's Pod: fixed by the workspace, so that there is never a second one. */
export function executorPodName(uid: string): string {
  return `ex-${uid.slice(0, 10).replace(/-+$/, '')}`;
}
