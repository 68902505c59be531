import { sleepReal } from '../../pkg/base/clock.ts';
import type { Flows } from './begin.ts';
import type { Cast } from './cast.ts';
import type { OldHome } from './old-home.ts';
import type { SlowWriter } from './slow-writer.ts';

/** Ways of the sandbox to fail, by the time when they are in force. */
const ERRORS = [{ action: 'connection_request', kind: 'error', rate: 1 }];
const LOST = [
  ...ERRORS,
  { action: 'message', kind: 'lost_answer', rate: 1 },
  { action: 'mail', kind: 'lost_answer', rate: 1 },
];
const BLIND = [...ERRORS, { action: 'list', kind: 'error', rate: 1 }];
const SILENT = [...ERRORS, { action: 'message', kind: 'timeout', rate: 1 }];

/** Looks at the ledger between which a minute of product time passes: what is due needs real time to be done. */
const LOOKS_PER_MINUTE = 10;
const MOST_LOOKS = 4_000;

/** Nothing of unknown outcome is looked up before it is told to. */
const LOOK_LATER = `
  create or replace function app.look_later() returns trigger language plpgsql as $$
    begin new.lookup_after := clock_timestamp() + interval '1 hour'; return new; end $$;
  create trigger look_later before update on send for each row
    when (new.state = 'unknown' and old.state <> 'unknown') execute function app.look_later()`;

/** Leaves effects in each state of the ledger and ends the program as a loss of power would. */
export async function interrupt(
  home: OldHome,
  writer: SlowWriter,
  demo: Cast,
  other: Cast,
  flows: Flows,
): Promise<void> {
  const { greeted, refused, mailed, others, crafted, onMonday } = flows.left;
  const [first, second, third, fourth] = greeted;
  if (!first || !second || !third || !fourth) throw new Error('too few people are left');
  await demo.trigger(flows.mondays, onMonday);
  await home.sandbox('POST', 'faults', ERRORS);
  await demo.trigger(flows.request, refused);
  await become(home, refused, 'failed');
  await home.sandbox('POST', 'faults', LOST);
  await home.sql(LOOK_LATER);
  await demo.trigger(flows.greet, [first, second]);
  await become(home, [first, second], 'unknown');
  await home.sandbox('POST', 'faults', BLIND);
  await tellPeople(home);
  await home.sandbox('POST', 'faults', LOST);
  await demo.trigger(flows.greet, [third]);
  await demo.trigger(flows.mail, mailed);
  await become(home, [third, ...mailed], 'unknown');
  await home.sql('drop function app.look_later cascade');
  await home.sandbox('POST', 'faults', SILENT);
  writer.silent = true;
  await demo.trigger(flows.craft, crafted);
  await holds(home, `select 1 from credit_hold where state = 'held'`);
  // Nothing of this workspace is dispatched while others seem to write to the same people.
  for (let place = 0; place < 8; place++)
    await home.sql(`select pg_advisory_lock(hashtextextended('touch:' || $1 || ':' || $2, 0))`, [
      demo.workspaceId,
      place,
    ]);
  await demo.trigger(flows.greet, [fourth]);
  await become(home, [fourth], 'claimed');
  await other.trigger(flows.others, others.slice(0, 1));
  await become(home, others.slice(0, 1), 'dispatched');
  await home.kill();
}

/** Lets minutes pass until the latest sends to these leads have a state. */
async function become(home: OldHome, leads: readonly string[], wanted: string): Promise<void> {
  let states = '';
  for (let look = 1; look < MOST_LOOKS; look++) {
    const rows = await home.sql<{ state: string; wait_reason: string | null }>(
      `select distinct on (u.lead_id) coalesce(s.state, 'none') as state, u.wait_reason from run u left join send s on s.run_id = u.id
       where u.lead_id = any ($1::uuid[]) order by u.lead_id, s.claimed_at desc nulls last`,
      [leads],
    );
    states = rows.map(({ state, wait_reason }) => `${state} (${wait_reason})`).join(', ');
    if (rows.length === leads.length && rows.every(({ state }) => state === wanted)) return;
    await sleepReal(50);
    if (look % LOOKS_PER_MINUTE === 0) await home.clock({ advanceMs: 60_000 });
  }
  throw new Error(`sends never become ${wanted}: ${states}`);
}

function holds(home: OldHome, question: string): Promise<true> {
  return home.until(question, async () => (await home.sql(question)).length > 0);
}

/** Look-ups fail until a person is told of both sends; one of the letters is answered. */
async function tellPeople(home: OldHome): Promise<void> {
  await home.until('a person is told of both', async () => {
    await home.sql(
      `update send set lookup_after = clock_timestamp() where state = 'unknown' and dead_letter_state is null`,
    );
    return (await home.sql(`select 1 from send where dead_letter_state = 'open'`)).length >= 2;
  });
  const { deadLetters } = await home.call<{ deadLetters: { deadLetterId: string }[] }>('svc_admin_list_dead_letters');
  const deadLetterId = deadLetters[0]?.deadLetterId;
  const reason = 'Seen in the inbox';
  await home.call('svc_admin_resolve_dead_letter', { deadLetterId, resolution: 'mark_done', reason });
}
