import { EVENT_REASONS } from '../api/condition-words.ts';
import type { Logger } from '../base/log.ts';
import type { PeriodicJob } from '../base/periodic.ts';
import { EXECUTOR_ROLE } from '../postgres/executor-role.ts';
import { scramVerifier } from '../postgres/scram-verifier.ts';
import { executorSettingsStand, restoreExecutorRole } from '../store/tenancy/executor-role.ts';
import type { OperatorContext } from './context.ts';
import { OPERATOR_LEASE } from './names.ts';

/** Real ms: with a run that takes all its time, what was changed is restored within a minute. */
const EVERY_MS = 20_000;
const WITHIN_MS = 15_000;
/** SQLSTATEs of a keeper that is not there, or not ours to call. */
const NO_KEEPER = new Set(['3F000', '42883', '42501']);
const MEND =
  'Run outrider migrate once with SUPERUSER_DATABASE_URL, which lets the operator restore it, or alter the role by hand.';

/** How the operator finds out whether executors get in. */
export interface ExecutorLogin {
  /** The password that executors log in with; undefined: it is not known, and only the settings are looked at. */
  password(): Promise<string | undefined>;
  /** Whether the server lets the role in with it. @throws Error when it can't be asked */
  opens(user: string, password: string): Promise<boolean>;
}

type Context = Pick<OperatorContext, 'db' | 'metrics' | 'events' | 'homeNamespace' | 'executorLogin'> & {
  runtime: { log: Logger };
};
type Changed = 'password' | 'settings';

/** Notices that the role of all executors was changed, which any of them may do, and gives it back what it had. */
export function executorRoleJob(context: Context): PeriodicJob {
  return { name: 'executor-role', everyMs: EVERY_MS, withinMs: WITHIN_MS, run: () => keepExecutorRole(context) };
}

/** One look. @throws Error when the role was changed and could not be restored */
export async function keepExecutorRole(context: Context): Promise<void> {
  const { db, runtime, metrics } = context;
  // The first one is an increase, and not a series out of nothing.
  for (const what of ['password', 'settings']) metrics.executorRoleRestored.inc({ what }, 0);
  const [settings, password] = await Promise.all([
    db.tx({ kind: 'none' }, executorSettingsStand).then((stand) => !stand),
    refusedPassword(context),
  ]);
  const changed: Changed[] = [
    ...(password === undefined ? [] : ['password' as const]),
    ...(settings ? ['settings' as const] : []),
  ];
  if (changed.length === 0) return;
  const verifier = password === undefined ? null : scramVerifier(password);
  const what = changed.join(' and ');
  try {
    await db.tx({ kind: 'none' }, (tx) => restoreExecutorRole(tx, verifier, settings));
  } catch (error) {
    if (!NO_KEEPER.has((error as { code?: string }).code ?? '')) throw error;
    const text = `The ${what} of the role ${EXECUTOR_ROLE} were changed, and the operator may not restore them. ${MEND}`;
    tell(context, 'ExecutorRoleChanged', text);
    throw new Error(text, { cause: error });
  }
  for (const one of changed) metrics.executorRoleRestored.inc({ what: one });
  runtime.log.warn({ role: EXECUTOR_ROLE, changed }, 'the role of all executors was changed and is restored');
  tell(context, 'ExecutorRoleRestored', `The ${what} of the role ${EXECUTOR_ROLE} were changed and are restored.`);
}

/** The password that executors have and the server does not take. */
async function refusedPassword({ executorLogin }: Context): Promise<string | undefined> {
  const password = await executorLogin?.password();
  if (executorLogin === undefined || password === undefined) return undefined;
  return (await executorLogin.opens(EXECUTOR_ROLE, password)) ? undefined : password;
}

/** The role is no object of Kubernetes: the event stands with the operator's Lease. */
function tell(
  { events, homeNamespace }: Context,
  reason: 'ExecutorRoleRestored' | 'ExecutorRoleChanged',
  note: string,
): void {
  const metadata = { name: OPERATOR_LEASE, namespace: homeNamespace };
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
  events.record(lease, { type: EVENT_REASONS[reason], reason, action: 'KeepExecutorRole', note });
}
