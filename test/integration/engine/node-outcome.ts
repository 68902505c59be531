import type { MailDesk } from '../../../pkg/engine/mail/mail-desk.ts';
import { recoverSends } from '../../../pkg/store/ledger/ledger.ts';
import { type Bench, change, type EngineHandle, openEngine, query } from './harness.ts';
import type { Place } from './place.ts';

/** The outcome by which a lead's run left a node, and whether nobody knows that it happened; undefined while it has not. */
export async function outcomeOf(
  bench: Bench,
  leadId: string,
  nodeId = 'n0',
): Promise<{ outcome?: string; maybe?: boolean } | undefined> {
  const [row] = await query<{ data: { outcome?: string; maybe?: boolean } }>(
    bench,
    `select e.data from run_event e join run r on r.id = e.run_id where r.lead_id = $1 and e.node_id = $2 and e.kind = 'run.step_done'
     order by e.seq limit 1`,
    [leadId, nodeId],
  );
  return row?.data;
}

/**
 * The executor dies between the commit of `dispatched` and the write of the request (`before`), or between the write
 * and the answer (`after`); another one takes over. Returns the new one.
 * @param meanwhile what happens before that
 */
export async function killAtDispatch(
  bench: Bench,
  at: Pick<Place, 'ws' | 'network'>,
  when: 'before' | 'after',
  mail?: MailDesk,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<EngineHandle> {
  const never = new Promise<never>(() => undefined);
  const more = mail ? { mail } : {};
  const reached = Promise.withResolvers<void>();
  const dying = await openEngine(bench, at.ws, at.network, {
    ...more,
    faults: (point) => {
      if (point !== (when === 'before' ? 'dispatched' : 'before_settle')) return Promise.resolve();
      reached.resolve();
      return never;
    },
  });
  await dying.engine.step();
  await reached.promise;
  await meanwhile();
  const heir = await openEngine(bench, at.ws, at.network, more);
  await heir.deps.claim.tx((tx) => recoverSends(tx, bench.clock.now(), 500));
  return heir;
}

/** Lets `settleAfter` pass for what is unknown and looks twice, as agreeing look-ups do. */
export async function lookTwice(bench: Bench, at: Pick<Place, 'ws'>, handle: EngineHandle): Promise<void> {
  for (let look = 0; look < 2; look++) {
    await change(
      bench,
      `update send set lookup_after = clock_timestamp(), dispatched_real = clock_timestamp() - interval '1 hour' where workspace_id = $1 and state = 'unknown'`,
      [at.ws],
    );
    await handle.lookUp();
  }
  await handle.quiet();
}
