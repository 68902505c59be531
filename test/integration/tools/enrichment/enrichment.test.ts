import { expect } from 'chai';
import type { OutsideContact } from '../../../../pkg/domain/outside-contact.ts';
import { CallError } from '../../../../pkg/providers/call-error.ts';
import type { EnrichmentDesk } from '../../../../pkg/providers/enrichment/ask-about.ts';
import type {
  CompanyEnrichment,
  Enrichment,
  EnrichmentProvider,
} from '../../../../pkg/providers/enrichment/enrichment-provider.ts';
import { CHECKS_WITHOUT_DNS } from '../../../../pkg/providers/enrichment/mail-checks.ts';
import { MONDAY, missing, NOBODY } from '../../../fixtures/tools/mcp-fixture.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const noLead = (id: string): string => missing('Lead', id, 'svc_search_leads');
const MINUTE = 60_000;
const DAY = 86_400_000;

interface Job {
  enrichmentJobId: string;
  status: string;
  total: number;
  found: number;
  notFound: number;
  failed: number;
  creditsHeld: number;
  creditsSettled: number;
  creditsReleased: number;
}
interface Queued {
  enrichmentJobId: string;
  queued: number;
  skippedFresh: number;
  estimatedCredits: number;
  heldCredits: number;
}
interface Lead {
  leadId: string;
  email: string | null;
  emailStatus: string;
  phone: string | null;
  title: string;
  provenance: { field: string; source: string; at: string; confidence?: number }[];
}

describe('tools: enrichment in the background, by an MCP client', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;
  /** Whom each provider was asked about. */
  const asked: string[] = [];
  type Answer = (contact: OutsideContact) => Promise<Enrichment> | Enrichment;
  let first: Answer;
  let second: Answer;
  let companies: Record<string, CompanyEnrichment>;

  const provider = (name: string, fields: EnrichmentProvider['fields'], answer: () => Answer): EnrichmentProvider => ({
    name,
    fields,
    async find(contact) {
      asked.push(`${name} ${contact.fullName}`);
      return answer()(contact);
    },
    findCompany: async ({ domain }) => {
      const found = companies[domain];
      return found ? { found, who: { domain } } : null;
    },
  });
  const both = [
    provider('first', ['profile', 'email', 'phone'], () => first),
    provider('second', ['email', 'email_verification', 'phone'], () => second),
  ];
  let providers = both;
  const desk: EnrichmentDesk = {
    get providers() {
      return providers;
    },
    checks: CHECKS_WITHOUT_DNS,
  };

  before(async () => {
    tools = await startMcpTools(undefined, undefined, { enrichment: desk });
    tools.cluster.clock.at = MONDAY;
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
    await tools.grant('acme', 1_000);
  });
  beforeEach(() => {
    asked.length = 0;
    providers = both;
    first = () => ({});
    second = () => ({});
    companies = {};
  });
  after(() => tools.stop());

  let count = 0;
  const person = async (fields: object = {}): Promise<{ leadId: string; fullName: string }> => {
    count += 1;
    const fullName = `Ada Number${count}`;
    const lead = { firstName: 'Ada', lastName: `Number${count}`, company: `Works ${count}`, ...fields };
    const { leadId } = await acme.call<{ leadId: string }>('svc_upsert_lead', lead);
    return { leadId, fullName };
  };
  const read = async (leadId: string): Promise<Lead> =>
    (await acme.call<{ lead: Lead }>('svc_get_lead', { leadId })).lead;
  const enrich = (leadIds: string[], fields: string[], more: object = {}): Promise<Queued> =>
    acme.call<Queued>('svc_enrich_leads', { leadIds, fields, ...more });
  const later = (ms: number): void => {
    tools.cluster.clock.at = tools.cluster.clock.now() + ms;
  };
  const work = async (): Promise<void> => {
    const worker = tools.worker();
    while (await worker.next());
  };
  /** Works until all is over: what waits for its turn is waited for. */
  const finish = async (): Promise<void> => {
    for (let round = 0; round < 12; round++) {
      await work();
      later(MINUTE);
    }
  };
  const status = async (enrichmentJobId: string): Promise<Job> => {
    const { jobs } = await acme.call<{ jobs: Job[] }>('svc_get_enrichment_status', { enrichmentJobId });
    const [job] = jobs;
    if (!job) throw new Error('no job');
    return job;
  };
  const balance = (): Promise<{ balance: number; held: number }> => acme.call('svc_get_credit_balance');
  const sourceOf = (lead: Lead, field: string): string | undefined =>
    lead.provenance.find((one) => one.field === field)?.source;

  describe('svc_enrich_leads', () => {
    it('holds the worst case, asks provider after provider, and charges what was found and valid', async () => {
      const { leadId, fullName } = await person();
      first = () => ({ profile: { title: 'Head of Ops' }, email: 'info@works.example', confidence: 0.9 });
      second = ({ email }) => (email ? { emailStatus: 'valid' } : { email: 'ada.n@works.example' });
      const before = await balance();
      const fields = ['profile', 'email', 'email_verification', 'phone'];
      expect(await enrich([leadId], fields, { estimateOnly: true })).to.include({ queued: 1, estimatedCredits: 12 });
      const job = await enrich([leadId], fields);
      expect(job).to.include({ queued: 1, skippedFresh: 0, estimatedCredits: 12, heldCredits: 12 });
      expect(await status(job.enrichmentJobId)).to.include({ status: 'queued', total: 1, creditsHeld: 12 });
      await finish();
      // A role's mailbox is nobody's: the next provider's answer is taken.
      const lead = await read(leadId);
      expect(lead).to.include({
        title: 'Head of Ops',
        email: 'ada.n@works.example',
        emailStatus: 'valid',
        phone: null,
      });
      expect(['title', 'email', 'emailStatus'].map((field) => sourceOf(lead, field))).to.deep.equal([
        'first',
        'second',
        'second',
      ]);
      expect(lead.provenance.find((one) => one.field === 'title')?.confidence).to.equal(0.9);
      expect(await status(job.enrichmentJobId)).to.include({
        status: 'completed',
        found: 1,
        creditsHeld: 0,
        creditsSettled: 4,
        creditsReleased: 8,
      });
      expect(await balance()).to.include({ balance: before.balance - 4, held: 0 });
      expect(asked).to.deep.equal([`first ${fullName}`, `second ${fullName}`, `second ${fullName}`]);
    });

    it('refuses what is above maxCredits or the balance, names a lead that is missing, and does nothing', async () => {
      const { leadId } = await person();
      expect(await acme.refusal('svc_enrich_leads', { leadIds: [leadId], fields: ['phone'], maxCredits: 7 })).to.equal(
        'lead_enrich needs 8 credits, more than maxCredits 7. Call svc_get_credit_costs.',
      );
      const { leadId: poor } = await rival.call<{ leadId: string }>('svc_upsert_lead', { email: 'a@b.example' });
      expect(await rival.refusal('svc_enrich_leads', { leadIds: [poor], fields: ['phone'] })).to.match(
        /0 are available/,
      );
      expect(await acme.refusal('svc_enrich_leads', { leadIds: [NOBODY], fields: ['phone'] })).to.equal(noLead(NOBODY));
      expect(await rival.refusal('svc_enrich_leads', { leadIds: [leadId], fields: ['phone'] })).to.equal(
        noLead(leadId),
      );
      expect(asked).to.deep.equal([]);
    });

    it('asks for nothing that is fresh or was entered by hand, and never overwrites it', async () => {
      const { leadId } = await person({ email: 'mine@works.example', title: 'Owner' });
      first = () => ({
        email: 'other@works.example',
        profile: { title: 'Clerk', industry: 'logistics' },
        phone: '+49301',
      });
      expect(await enrich([leadId], ['email'], { refreshOlderThanDays: 0 })).to.include({ queued: 0, skippedFresh: 1 });
      await enrich([leadId], ['email', 'profile', 'phone']);
      await finish();
      expect(await read(leadId)).to.include({ email: 'mine@works.example', title: 'Owner', phone: '+49301' });
      // Freshness by field: a title ages sooner than a phone.
      later(61 * DAY);
      expect(await enrich([leadId], ['profile', 'phone'], { estimateOnly: true })).to.include({ estimatedCredits: 1 });
      expect(
        await enrich([leadId], ['profile', 'phone'], { estimateOnly: true, refreshOlderThanDays: 365 }),
      ).to.include({ queued: 0 });
    });

    it('tells no provider of somebody who is excluded, also when that happens after the call', async () => {
      const [one, other] = [
        await person({ email: 'x1@excluded.example' }),
        await person({ email: 'x2@excluded.example' }),
      ];
      await acme.call('svc_add_signal_exclusion', { kind: 'email', value: 'x1@excluded.example' });
      expect(await enrich([one.leadId, other.leadId], ['phone'])).to.include({ queued: 1, estimatedCredits: 8 });
      await acme.call('svc_add_signal_exclusion', { kind: 'email', value: 'x2@excluded.example' });
      await finish();
      expect(asked).to.deep.equal([]);
      expect(await balance()).to.include({ held: 0 });
    });

    it('two jobs that ask for the same field of the same lead at once pay once; the same day it is free again', async () => {
      const { leadId } = await person();
      first = () => ({ phone: '+49302' });
      const before = await balance();
      const jobs = [await enrich([leadId], ['phone']), await enrich([leadId], ['phone', 'email'])];
      await Promise.all([tools.worker().next(), tools.worker().next()]);
      await finish();
      const states = await Promise.all(jobs.map((job) => status(job.enrichmentJobId)));
      expect(states.map((job) => job.found)).to.deep.equal([1, 1]);
      expect(states.reduce((sum, job) => sum + job.creditsSettled, 0)).to.equal(8);
      const again = await enrich([leadId], ['phone'], { refreshOlderThanDays: 0, idempotencyKey: 'again' });
      await finish();
      expect(await status(again.enrichmentJobId)).to.include({ found: 1, creditsSettled: 0 });
      expect(await balance()).to.include({ balance: before.balance - 8, held: 0 });
    });

    it('an answer about somebody else, or an address that another lead has, is not found; the other address is flagged', async () => {
      const { leadId } = await person();
      first = () => ({ phone: '+49303', who: { fullName: 'Bob Stranger' } });
      const wrong = await enrich([leadId], ['phone']);
      await finish();
      expect(await status(wrong.enrichmentJobId)).to.include({ notFound: 1, creditsSettled: 0 });
      const [mine, twin] = [await person(), await person()];
      first = () => ({ email: 'same@works.example', emailStatus: 'valid' });
      await enrich([mine.leadId], ['email']);
      await finish();
      const second = await enrich([twin.leadId], ['email']);
      await finish();
      expect(await status(second.enrichmentJobId)).to.include({ notFound: 1, creditsSettled: 0 });
      expect(await read(mine.leadId)).to.include({ email: 'same@works.example', emailStatus: 'risky' });
      expect(await read(twin.leadId)).to.include({ email: null });
    });

    it('an address that its verification refuses is not found: the next provider is asked for one', async () => {
      const { leadId } = await person();
      first = () => ({ email: 'dead@works.example' });
      second = ({ email }) => {
        if (email === null) return { email: 'alive@works.example' };
        return { emailStatus: email.startsWith('dead') ? 'invalid' : 'valid' };
      };
      const job = await enrich([leadId], ['email', 'email_verification']);
      // In one pass: what a refusal drops breaks nothing off.
      await work();
      expect(await status(job.enrichmentJobId)).to.include({ found: 1, creditsSettled: 3 });
      expect(await read(leadId)).to.include({ email: 'alive@works.example', emailStatus: 'valid' });
    });

    it('without a provider it refuses and says who mends it; a job that is under way then ends and gives all back', async () => {
      const { leadId } = await person();
      const job = await enrich([leadId], ['phone']);
      providers = [];
      expect(await acme.refusal('svc_enrich_leads', { leadIds: [leadId], fields: ['email'] })).to.match(
        /^No enrichment provider is configured \(ENRICHMENT_PDL_KEY.*a platform admin sets one up\. Call svc_submit_feedback\./,
      );
      await finish();
      expect(await status(job.enrichmentJobId)).to.include({ status: 'failed', failed: 1, creditsHeld: 0 });
      expect(await balance()).to.include({ held: 0 });
    });

    it('a provider that works on it for an hour, or is asked too often for a day, is given up: nothing stays held', async () => {
      const { leadId } = await person();
      first = () => ({ pending: { ref: 'taken', askAfterMs: 30_000 } });
      second = () => ({ phone: '+49308' });
      const taken = await enrich([leadId], ['phone']);
      await work();
      expect(await status(taken.enrichmentJobId)).to.include({ found: 0, failed: 0 });
      later(61 * MINUTE);
      await work();
      expect(await status(taken.enrichmentJobId), 'the next is asked').to.include({ found: 1, creditsSettled: 8 });
      const other = await person();
      first = second = () => Promise.reject(new CallError('busy', 'too many', 1_000, true));
      const crowded = await enrich([other.leadId], ['phone']);
      await work();
      later(DAY / 2);
      await work();
      expect(await status(crowded.enrichmentJobId), 'waited for').to.include({ failed: 0 });
      later(DAY / 2 + MINUTE);
      await work();
      expect(await status(crowded.enrichmentJobId)).to.include({ status: 'completed', failed: 1, creditsHeld: 0 });
    });

    it('a provider that is away is passed over, asked again, and given up in the end', async () => {
      const { leadId } = await person();
      first = () => Promise.reject(new CallError('busy', 'first is down'));
      const job = await enrich([leadId], ['phone']);
      await finish();
      expect(await status(job.enrichmentJobId)).to.include({ status: 'completed', failed: 1, creditsSettled: 0 });
      expect(asked.filter((one) => one.startsWith('first'))).to.have.length(4);
      expect(asked.filter((one) => one.startsWith('second'))).to.have.length(1);
    });
  });

  describe('svc_enrich_company', () => {
    it('fills the company by id or domain, names where each field comes from, and charges once a day', async () => {
      const { leadId } = await person({ company: 'Nordwind', companyDomain: 'nordwind.example' });
      companies = { 'nordwind.example': { industry: 'wind power', headcount: 120, fundingStage: 'series_b' } };
      expect(leadId).to.be.a('string');
      const job = await acme.call<Queued & { companyId: string }>('svc_enrich_company', {
        domain: 'www.nordwind.example',
      });
      await finish();
      expect(await status(job.enrichmentJobId)).to.include({ kind: 'company_enrich', found: 1, creditsSettled: 1 });
      const { company } = await acme.call<{ company: Record<string, unknown> & Pick<Lead, 'provenance'> }>(
        'svc_get_company',
        { companyId: job.companyId },
      );
      expect(company).to.include({ industry: 'wind power', headcount: 120, fundingStage: 'series_b' });
      expect(company.provenance.map(({ field, source }) => `${field} ${source}`).sort()).to.deep.equal([
        'fundingStage first',
        'headcount first',
        'industry first',
      ]);
      const again = await acme.call<Queued>('svc_enrich_company', { companyId: job.companyId });
      await finish();
      expect(await status(again.enrichmentJobId)).to.include({ found: 1, creditsSettled: 0 });
    });

    it('wants either id or domain, and a company that is there', async () => {
      expect(await acme.refusal('svc_enrich_company', {})).to.equal(
        'Invalid input: companyId: give either companyId or domain. Call svc_search_companies to find valid IDs.',
      );
      const none = missing('Company', 'nobody-knows.example', 'svc_search_companies');
      expect(await acme.refusal('svc_enrich_company', { domain: 'nobody-knows.example' })).to.equal(none);
    });
  });

  describe('svc_get_enrichment_status', () => {
    it('lists the latest jobs page by page, those of the own workspace only', async () => {
      const { jobs, nextCursor } = await acme.call<{ jobs: Job[]; nextCursor: string }>('svc_get_enrichment_status', {
        limit: 3,
      });
      expect(jobs).to.have.length(3);
      const next = await acme.call<{ jobs: Job[] }>('svc_get_enrichment_status', { limit: 3, cursor: nextCursor });
      expect(next.jobs.map((job) => job.enrichmentJobId)).to.not.include(jobs[0]?.enrichmentJobId);
      const id = jobs[0]?.enrichmentJobId ?? '';
      expect((await rival.call<{ jobs: Job[] }>('svc_get_enrichment_status', {})).jobs).to.deep.equal([]);
      expect(await rival.refusal('svc_get_enrichment_status', { enrichmentJobId: id })).to.equal(
        missing('Enrichment job', id, 'svc_get_enrichment_status'),
      );
    });
  });
});
