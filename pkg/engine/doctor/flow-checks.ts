import { UNREAD_MS } from '../../store/figures/fleet-figures.ts';
import { IS_SYNCED, unreadFor, wakeAge } from '../../store/runs/wake.ts';
import { ago, type DoctorCheck, describeWorkspace, type Finding, notice, problem } from './finding.ts';

/** Work that is due for longer without an executor is not being woken (product ms). */
const LATE_MS = 5 * 60_000;
/** Clocks of Postgres and this machine may differ by this much (real ms): claims and leases are counted in seconds. */
const SKEW_MS = 5_000;
/** Product time may be ahead of real time by this much (ms). */
const AHEAD_MS = 60_000;
const MAX_ROWS = 20;

/** Workspaces whose work is due and that no executor wakes for. */
export const ageingWakes: DoctorCheck = {
  name: 'due work has an executor',
  async run({ tx, product }): Promise<Finding[]> {
    const rows = await tx.rows<{ workspace_id: string; age: number }>(
      `select k.workspace_id, ${wakeAge('$1')} as age
       from workspace_wake k
       join workspace w on w.id = k.workspace_id
       where k.due_at <= $1
         and ${wakeAge('$1')} > $3
         and w.operating_mode = 'Running'
         and w.deleted_at is null
         and not exists (select 1 from hold h where h.kind = 'workspace' and h.id = w.id)
         and not exists (
           select 1
           from claim c
           where c.kind = 'workspace'
             and c.key = w.id
             and c.holder is not null
             and c.expires_at > clock_timestamp()
         )
       order by age desc limit $2`,
      [product, MAX_ROWS, LATE_MS],
    );
    return rows.map((row) =>
      problem(
        'ageing_wakes',
        `Workspace ${row.workspace_id} has work that is due for ${ago(row.age)} and no executor runs.`,
        `See whether an operator leads (kubectl get lease outrider-operator) and what it says: ${describeWorkspace(row.workspace_id)}.`,
      ),
    );
  },
};

/** Accounts whose replies and acceptances nobody reads: the shared executor of account sync does not come to them, or its rounds fail. */
export const unreadAccounts: DoctorCheck = {
  name: 'accounts are read',
  async run({ tx, product }): Promise<Finding[]> {
    const rows = await tx.rows<{ id: string; age: number; failure: string | null; workspace_id: string }>(
      `select k.account_id as id, (${unreadFor('$1')})::float8 as age, k.sync_state ->> 'failure' as failure,
         (select min(l.workspace_id) from account_link l where l.account_id = k.account_id) as workspace_id
       from account_wake k where ${unreadFor('$1')} > $3 and ${IS_SYNCED} order by age desc limit $2`,
      [product, MAX_ROWS, UNREAD_MS],
    );
    return rows.map(({ id, age, failure, workspace_id }) =>
      problem(
        'unread_accounts',
        `Account ${id} has not been read for ${ago(age)}${failure ? `: ${failure}` : ''}. Replies and acceptances are not seen.`,
        failure
          ? `See whether its provider answers: outrider doctor network_account ${id} --workspace ${workspace_id}.`
          : 'See whether the executor of account sync works: kubectl get pod ex-accounts, kubectl logs ex-accounts; if it hangs, delete it.',
      ),
    );
  },
};

/** What keeps everybody, a workspace or an account from sending. */
export const freezes: DoctorCheck = {
  name: 'nothing is frozen',
  async run({ tx, product }): Promise<Finding[]> {
    const rows = await tx.rows<Freeze>(
      `select scope, target, channel, reason, frozen_by, since
       from send_freeze
       where until is null or until > $1
       order by since limit $2`,
      [product, MAX_ROWS],
    );
    return rows.map((row) => {
      const { scope, target, channel, reason, frozen_by, since } = row;
      const whose = scope === 'platform' ? 'All sends are' : `The ${scope} ${target} is`;
      const what = channel === '' ? whose : `${whose}, on the channel ${channel} alone,`;
      const text = `${what} frozen for ${ago(product - since)} by ${frozen_by}: ${reason}`;
      if (frozen_by === 'outrider') {
        return problem(
          'restore_freeze',
          text,
          'Look at the differences with outrider reconcile --dry-run, then run outrider reconcile.',
        );
      }
      return problem(
        'freeze',
        text,
        `Release it when its reason is gone: outrider call svc_admin_set_send_freeze '${releaseOf(row)}'.`,
      );
    });
  },
};

interface Freeze {
  scope: string;
  target: string;
  /** '' for all. */
  channel: string;
  reason: string;
  frozen_by: string;
  since: number;
}

/** A freeze is released by what it was placed on. */
function releaseOf({ scope, target, channel }: Freeze): string {
  return JSON.stringify({
    frozen: false,
    ...(scope === 'workspace' ? { workspaceId: target } : {}),
    ...(scope === 'account' ? { accountId: target } : {}),
    ...(channel === '' ? {} : { channel }),
    reason: '…',
  });
}

/** Accounts that wait for their comparison after a start of Postgres. */
export const uncomparedAccounts: DoctorCheck = {
  name: 'accounts agree with their providers',
  async run({ tx }): Promise<Finding[]> {
    const rows = await tx.rows<{ id: string; workspace_id: string; minutes: number }>(
      `select
         a.id,
         min(l.workspace_id) as workspace_id,
         (extract(epoch from clock_timestamp() - pg_postmaster_start_time()) / 60)::float8 as minutes
       from network_account a
       join account_link l on l.account_id = a.id
       join claim c
         on c.kind = 'workspace'
           and c.key = l.workspace_id
           and c.holder is not null
           and c.expires_at > clock_timestamp()
       where not app.is_guarded(a.id)
         and pg_postmaster_start_time() < clock_timestamp() - interval '10 minutes'
       group by 1
       order by 1 limit $1`,
      [MAX_ROWS],
    );
    return rows.map((row) =>
      problem(
        'uncompared_accounts',
        `Account ${row.id} does not act: Postgres started ${ago(row.minutes * 60_000)} ago and the account was not compared with its provider since.`,
        `See whether its provider answers: outrider doctor network_account ${row.id} --workspace ${row.workspace_id}.`,
      ),
    );
  },
};

/** Times that do not agree: product and real, the database's and this machine's. */
export const clocks: DoctorCheck = {
  name: 'clocks agree',
  async run({ tx, product, real }): Promise<Finding[]> {
    const row = await tx.row<{ rehearsal: boolean; real_accounts: number; now_ms: number }>(
      `select i.rehearsal, (select count(*)::int from network_account a where a.provider <> 'sandbox'
         and exists (select 1 from account_link l where l.account_id = a.id)) as real_accounts,
         (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms
       from installation i`,
    );
    const found: Finding[] = [];
    const skew = (row?.now_ms ?? real) - real;
    if (Math.abs(skew) > SKEW_MS) {
      const side = skew > 0 ? 'ahead of' : 'behind';
      found.push(
        problem(
          'clock_skew',
          `The clock of Postgres is ${Math.round(Math.abs(skew) / 1_000)} s ${side} this machine's.`,
          'Set both by NTP: claims, leases and look-ups are counted in seconds.',
        ),
      );
    }
    if (product > real + AHEAD_MS) {
      found.push(
        notice(
          'clock_ahead',
          `The product's clock is ${ago(product - real)} ahead of real time.`,
          'It never runs backwards; start a new home (OUTRIDER_HOME) for work in real time.',
        ),
      );
    }
    if (row?.rehearsal && row.real_accounts > 0) {
      found.push(
        problem(
          'rehearsal',
          `This installation is a rehearsal and ${row.real_accounts} real provider accounts are linked; nothing is sent through them.`,
          'Unlink them with outrider call svc_admin_link_account and connect them in another installation.',
        ),
      );
    }
    return found;
  },
};
