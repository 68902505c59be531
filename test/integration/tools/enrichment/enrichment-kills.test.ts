import { expect } from 'chai';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { ENRICH_FIELDS, type EnrichField, enrichCredits } from '../../../../pkg/domain/enrichment/enrich-fields.ts';
import { MAX_TRIES } from '../../../../pkg/domain/enrichment/next-ask.ts';
import type { OutsideContact } from '../../../../pkg/domain/outside-contact.ts';
import { seededRandom } from '../../../../pkg/domain/random.ts';
import { CallError } from '../../../../pkg/providers/call-error.ts';
import type { EnrichmentDesk } from '../../../../pkg/providers/enrichment/ask-about.ts';
import type { Enrichment, EnrichmentProvider } from '../../../../pkg/providers/enrichment/enrichment-provider.ts';
import { CHECKS_WITHOUT_DNS } from '../../../../pkg/providers/enrichment/mail-checks.ts';
import { JobWorker } from '../../../../pkg/tools/jobs/job-worker.ts';
import { MONDAY } from '../../../fixtures/tools/mcp-fixture.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

/** The long run asks for a thousand. */
const LEADS = Number(process.env['ENRICH_LEADS'] ?? 60);
const SEED = process.env['CHAOS_SEED'] ?? 'enrichment';
const AT_A_CALL = 100;
const KILLED = 'the process was killed';

interface Field {
  subject_id: string;
  field: EnrichField;
  state: string;
  provider: string | null;
  credits: number;
}
interface Attempt {
  subject_id: string;
  field: EnrichField;
  provider: string;
  outcome: string;
  tries: number;
  credits: number;
}

// Source: rules E1 (a provider's "found but invalid" is not found, paid once per field found), E4 (parallel jobs join; answers are stored
// before they are settled), E6 (an answer about somebody else is not found), E7 (the estimate is the worst case and is held).
describe(`enrichment: ${LEADS} leads with providers that fail, lie and hang, in processes that are killed`, function () {
  this.timeout(60_000 + LEADS * 600);
  let tools: McpTools;
  let acme: ToolUser;
  const random = seededRandom(SEED);
  /** Answers that providers gave, by `provider lead field`. */
  const answered = new Map<string, number>();
  let kills = 0;

  /** What a provider knows of somebody, the same each time: by the number in the name. */
  const knows = (
    name: string,
    { fullName }: OutsideContact,
    field: EnrichField,
  ): 'valid' | 'useless' | 'other' | 'no' => {
    const n = Number(/\d+/.exec(fullName)?.[0]) * 7 + name.length * 3 + field.length;
    return (['valid', 'no', 'useless', 'other', 'valid', 'no'] as const)[n % 6] ?? 'no';
  };
  const truth = (name: string, contact: OutsideContact, field: EnrichField): Enrichment => {
    const word = `${contact.fullName.replaceAll(' ', '.').toLowerCase()}`;
    const known = knows(name, contact, field);
    if (known === 'no') return {};
    if (field === 'profile') return { profile: { title: `Head of ${name}` } };
    if (field === 'phone') return { phone: `+49 ${name} ${word}` };
    if (field === 'email_verification') return { emailStatus: known === 'valid' ? 'valid' : 'catch_all' };
    return { email: known === 'useless' ? `info@${name}.example` : `${word}@${name}.example` };
  };
  const provider = (name: string, fields: readonly EnrichField[]): EnrichmentProvider => ({
    name,
    fields,
    async find(contact, wanted) {
      const drawn = random();
      if (drawn < 0.05) throw new CallError('busy', 'down');
      if (drawn < 0.08) throw new CallError('lost', 'no answer in time');
      if (drawn < 0.1) throw new CallError('busy', 'too many', 1_000, true);
      const found: Enrichment = {};
      for (const field of wanted) {
        const key = `${name} ${contact.leadId} ${field}`;
        answered.set(key, (answered.get(key) ?? 0) + 1);
        // Two fields of one answer are about one person.
        Object.assign(found, truth(name, contact, field));
      }
      const isOther = wanted[0] && knows(name, contact, wanted[0]) === 'other';
      return isOther ? { ...found, who: { fullName: 'Zoe Stranger' } } : found;
    },
  });
  const desk: EnrichmentDesk = {
    providers: [
      provider('one', ['profile', 'email', 'phone']),
      provider('three', ['email', 'email_verification']),
      provider('fifty', ['phone', 'email', 'email_verification']),
    ],
    checks: CHECKS_WITHOUT_DNS,
  };

  before(async () => {
    tools = await startMcpTools(undefined, undefined, { enrichment: desk });
    tools.cluster.clock.at = MONDAY;
    acme = await tools.as({ workspace: 'acme' });
    await tools.grant('acme', LEADS * 40);
    await tools.force(
      `insert into lead (id, workspace_id, first_name, last_name, full_name, company, created_at, updated_at)
       select gen_random_uuid(), 'acme', 'Ada', 'Number' || n, 'Ada Number' || n, 'Works ' || n, $2, $2
       from generate_series(1, $1) n`,
      [LEADS, MONDAY],
    );
  });
  after(() => tools.stop());

  /** A process that works off jobs, and dies at a transaction: before it, or after its commit. */
  function process_(): JobWorker {
    const { db, clock: product } = tools.cluster;
    const diesAt = 5 + Math.floor(random() * 60);
    const afterCommit = random() < 0.5;
    let count = 0;
    const dead = (): never => {
      throw new Error(KILLED);
    };
    const tx: typeof db.tx = async (scope, work, ...rest) => {
      count += 1;
      if (count > diesAt) return dead();
      if (count < diesAt) return db.tx(scope, work, ...rest);
      kills += 1;
      if (!afterCommit) return dead();
      await db.tx(scope, work, ...rest);
      return dead();
    };
    const clocks = { real: tools.cluster.runtime.clock, product };
    return new JobWorker({ db: { tx }, clocks, ids: systemIds, providers: () => undefined, enrichment: desk });
  }
  const open = async (): Promise<boolean> =>
    (await tools.rows(`select 1 from background_job where status in ('queued', 'running') limit 1`)).length > 0;
  async function untilKilled(): Promise<void> {
    const worker = process_();
    try {
      while (await worker.next());
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes(KILLED)) throw error;
    }
  }

  it('credits are exact, each answer is stored once, and nothing useless is paid', async () => {
    const leads = await tools.rows<{ id: string }>('select id from lead order by full_name');
    const ids = leads.map((lead) => lead.id);
    const parts: string[][] = [];
    for (let at = 0; at < ids.length; at += AT_A_CALL) parts.push(ids.slice(at, at + AT_A_CALL));
    // Others ask for some of them at the same time.
    const calls = [...parts, ids.filter((_, index) => index % 3 === 0).slice(0, AT_A_CALL)];
    for (const leadIds of calls) {
      await acme.call('svc_enrich_leads', { leadIds, fields: ENRICH_FIELDS });
    }
    const before = await acme.call<{ balance: number; held: number }>('svc_get_credit_balance');
    expect(before.held).to.equal(calls.flat().length * enrichCredits(ENRICH_FIELDS));
    for (let round = 0; round < LEADS * 20 && (await open()); round++) {
      await Promise.all([untilKilled(), untilKilled()]);
      // Leases of dead processes end, and what waits for its turn is due.
      await tools.force(
        `update background_job set holder = null, lease_until = null, failures = 0 where status = 'running'`,
      );
      tools.cluster.clock.at = tools.cluster.clock.now() + 31_000;
      await tools.force(
        `update enrichment_field f set lease_until = clock_timestamp()
         where state = 'open' and exists (select 1 from background_job j where f.holder = 'job:' || j.id and j.status not in ('queued', 'running'))`,
      );
    }
    expect(await open(), `${SEED}: all jobs are over`).to.equal(false);
    await judge(before.balance, calls.flat().length);
  });

  async function judge(startedWith: number, asked: number): Promise<void> {
    const fields = await tools.rows<Field>('select subject_id, field, state, provider, credits from enrichment_field');
    const attempts = await tools.rows<Attempt>('select * from enrichment_attempt');
    const people = await tools.rows<{ id: string; full_name: string; email: string | null; phone: string | null }>(
      'select id, full_name, email, phone from lead',
    );
    const byId = new Map(people.map((row) => [row.id, row]));
    const found = fields.filter((row) => row.state === 'found');
    const price = found.reduce((sum, row) => sum + enrichCredits([row.field]), 0);
    const paid = fields.reduce((sum, row) => sum + row.credits, 0);
    expect(paid, 'each found field at its price').to.equal(price);
    expect(
      attempts.reduce((sum, row) => sum + row.credits, 0),
      'by attempt',
    ).to.equal(price);
    const { balance, held } = await acme.call<{ balance: number; held: number }>('svc_get_credit_balance');
    expect([startedWith - balance, held], 'by the ledger of credits').to.deep.equal([price, 0]);
    const [settled] = await tools.rows<{ sum: number }>('select sum(settled)::int as sum from credit_hold');
    expect(settled?.sum, 'by the holds').to.equal(price);
    const kinds = new Set(attempts.map((row) => row.outcome));
    expect([...kinds]).to.include.members(['found', 'not_found', 'invalid', 'mismatch']);
    for (const row of found) {
      const lead = byId.get(row.subject_id);
      if (row.field === 'email')
        expect(lead?.email).to.match(new RegExp(`^ada\\.number\\d+@${row.provider}\\.example$`));
      if (row.field === 'phone') expect(lead?.phone).to.contain(row.provider);
    }
    for (const row of fields.filter(({ state }) => state === 'failed')) {
      const tried = attempts.filter((one) => one.subject_id === row.subject_id && one.field === row.field);
      expect(Math.max(...tried.map((one) => one.tries)), 'given up after all tries').to.be.least(MAX_TRIES);
    }
    // An answer is lost only with the process that heard it, and each has five questions under way.
    const again = [...answered.values()].reduce((sum, times) => sum + times - 1, 0);
    expect(again, 'asked for anew').to.be.most(kills * 5 * 3);
    const jobs = await tools.rows<{ work: { total: number; found: number; notFound: number; failed: number } }>(
      'select work from background_job',
    );
    const ended = jobs.reduce((sum, { work }) => sum + work.found + work.notFound + work.failed, 0);
    expect(ended, 'each lead of each job ended once').to.equal(asked);
    expect(fields.filter(({ state }) => state === 'open')).to.deep.equal([]);
    expect(kills).to.be.above(3);
  }
});
