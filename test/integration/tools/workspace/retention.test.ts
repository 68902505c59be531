import { expect } from 'chai';
import { forgetSettled } from '../../../../pkg/store/erasure/erasure.ts';
import { purgeDeleted } from '../../../../pkg/store/erasure/purge-deleted.ts';
import { DAY, HOUR } from '../../../fixtures/stories/engine-fixture.ts';
import { type DiagnoseFixture, startDiagnoseFixture } from '../../../fixtures/tools/diagnose-fixture.ts';

const FLOW = [
  { nodeType: 'network:message', label: 'Hello', config: { textMode: 'static', text: 'Hello {{lead:firstName}}' } },
  { nodeType: 'network:wait_reply', config: { timeoutMs: 90 * DAY } },
];

// No tool shows what was deleted: what is left of it is read past the tools.
describe('retentionDays: content of deleted records goes, the proof of contact stays', function () {
  this.timeout(60_000);
  let fixture: DiagnoseFixture;
  let workflowId = '';
  before(async () => {
    fixture = await startDiagnoseFixture();
    workflowId = await fixture.flow(...FLOW);
    await fixture.enrol(workflowId, 'Ada');
    for (let hour = 0; fixture.network.received.length === 0 && hour < 12; hour++) await fixture.pass(HOUR);
  });
  after(() => fixture.stop());

  const later = (days: number): number => fixture.tools.cluster.clock.now() + days * DAY;
  /** Kinds that were worked on at this time, one transaction after another, two rows at a time. */
  const purge = async (now: number): Promise<string[]> => {
    for (const kinds: string[] = []; ; ) {
      const kind = await fixture.tools.mcp.platform((tx) => purgeDeleted(tx, now, 2));
      if (kind === null) return [...new Set(kinds)];
      kinds.push(kind);
    }
  };
  const left = async (): Promise<object | undefined> =>
    (
      await fixture.tools.force<object>(
        `select (select string_agg(coalesce(body, ''), '') from send) as sent, (select string_agg(graph::text, '') from workflow_graph where workflow_id = $1) like '%Hello {{%' as text,
           (select count(*)::int from persona) as personas, (select array_agg(titles::text) from icp) as titles, (select array_agg(name) from lead_list) as lists,
           (select goal from campaign where id = $2) as goal, (select count(*)::int from lead_list_member) as members,
           (select count(*)::int from send_key) as keys, (select count(*)::int from contact_log) as contacts`,
        [workflowId, fixture.campaignId],
      )
    )[0];

  it('keeps everything until the days of the workspace are over, then clears each kind once', async () => {
    const { acme, campaignId } = fixture;
    await acme.call('svc_update_campaign', { campaignId, goal: 'Ten talks' });
    await acme.call('svc_create_persona', { campaignId, name: 'Founder', description: 'Busy' });
    await acme.call('svc_create_icp', { campaignId, titles: ['CTO'] });
    const { leadListId } = await acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Talks' });
    await acme.call('svc_add_leads_to_list', { leadListId, leadIds: await fixture.people(['Bo', 'Cy', 'Di']) });
    await acme.call('svc_update_workspace', { retentionDays: 30 });
    const kept = {
      sent: 'Hello Ada',
      text: true,
      personas: 1,
      titles: ['{CTO}'],
      lists: ['Talks'],
      goal: 'Ten talks',
      members: 3,
      keys: 1,
      contacts: 1,
    };
    expect(await purge(later(1_000)), 'nothing is deleted').to.deep.equal([]);
    expect(await left()).to.deep.equal(kept);

    await acme.call('svc_update_workflow_status', { workflowId, enabled: false });
    await acme.call('svc_delete_workflow', { workflowId });
    await acme.call('svc_delete_lead_list', { leadListId });
    await acme.call('svc_update_campaign', { campaignId, status: 'completed' });
    await acme.call('svc_update_campaign', { campaignId, status: 'archived' });
    await acme.call('svc_delete_campaign', { campaignId, confirmTitle: 'Diagnosed' });
    expect(await purge(later(29)), 'too early').to.deep.equal([]);
    // Personas and members of lists go with the deletion itself.
    const deleted = { ...kept, personas: 0, members: 0 };
    expect(await left()).to.deep.equal(deleted);

    expect(await purge(later(31))).to.have.members(['workflow', 'campaign', 'lead_list']);
    const gone = { sent: '', text: false, titles: ['{}'], lists: [''], goal: '' };
    expect(await left()).to.deep.equal({ ...deleted, ...gone });
    expect(await purge(later(32)), 'once').to.deep.equal([]);
  });

  it('the address by which a mail is unsubscribed from works for two years, used or not, whatever the workspace keeps', async () => {
    const now = fixture.tools.cluster.clock.now();
    const made = (hash: string, daysAgo: number, used: boolean): Promise<unknown> =>
      fixture.tools.force(
        `insert into unsubscribe_token (token_hash, workspace_id, person_id, account_id, created_at, used_at)
         values (convert_to($1, 'UTF8'), 'rival', gen_random_uuid(), 'box', $2, $3)`,
        [hash, now - daysAgo * DAY, used ? now : null],
      );
    for (const [name, days] of [
      ['old', 732],
      ['older', 900],
      ['oldest', 2_000],
      ['kept', 730],
    ] as const)
      for (const used of [false, true]) await made(`${name}-${used}`, days, used);
    expect(await purge(now)).to.deep.equal(['unsubscribe_token']);
    const left = await fixture.tools.force<{ name: string }>(
      `select convert_from(token_hash, 'UTF8') as name from unsubscribe_token order by 1`,
    );
    expect(left).to.deep.equal([{ name: 'kept-false' }, { name: 'kept-true' }]);
    await fixture.tools.force('delete from unsubscribe_token');
  });

  it('without the setting nothing goes; of a deleted workspace the leads go too, and nobody elsewhere loses anything', async () => {
    const rival = await fixture.tools.as({ workspace: 'rival' });
    for (const user of [rival, fixture.acme])
      await user.call('svc_import_leads_csv', { csv: 'Name,Email\nIda Voss,ida@voss.example\n' });
    const { leadListId } = await rival.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Whales of Voss' });
    // Somebody of the shared pool, who stays.
    await fixture.tools.force(
      `with pooled as (insert into lead (id, first_name, last_name, full_name, company, company_key, profile_url, created_at, updated_at)
         values (gen_random_uuid(), 'Eve', 'Pool', 'Eve Pool', 'Pool', 'pool', '', 1, 1) returning id)
       insert into lead_list_member (workspace_id, lead_list_id, lead_id, added_at) select 'rival', '${leadListId}', id, 1 from pooled`,
    );
    await fixture.tools.force(
      `with connected as (insert into integration (id, workspace_id, provider, kind, name, status, url, sealed, created_at)
           select w || '-crm', w, 'hubspot', 'crm', 'CRM of Voss', 'connected', 'https://crm.voss.example', 'sealed', 1 from unnest('{rival,acme}'::text[]) w),
         seen as (insert into calendar_account (id, workspace_id, email, url, sealed, timezone, start_hour, end_hour, status, created_at)
           values ('rival-cal', 'rival', 'ida@voss.example', 'https://cal.voss.example', 'sealed', 'UTC', 9, 17, 'connected', 1)),
         job as (insert into background_job (id, workspace_id, kind, status, created_at) values (gen_random_uuid(), 'rival', 'lead_scrape', 'completed', 1) returning id),
         read as (insert into lead_scrape_item (job_id, place, workspace_id, profile_id, state) select id, 1, 'rival', 'ida-voss', 'not_found' from job)
       insert into invitation (id, workspace_id, email, role, token_hash, invited_by, created_at, expires_at)
         values (gen_random_uuid(), 'rival', 'ida@voss.example', 'member', 'hash', 'x', 1, 2)`,
    );
    const told = async (workspace: string): Promise<string> =>
      (
        await fixture.tools.force<{ text: string }>(
          `select concat((select string_agg(i::text, '') from integration i where workspace_id = $1), (select string_agg(c::text, '') from calendar_account c where workspace_id = $1),
             (select string_agg(v::text, '') from invitation v where workspace_id = $1), (select string_agg(l::text, '') from lead_scrape_item l where workspace_id = $1)) as text`,
          [workspace],
        )
      )[0]?.text ?? '';
    const SEALED = Buffer.from('sealed').toString('hex');
    // As the controller leaves a workspace whose resource was deleted.
    await fixture.tools.force(`update workspace set deleted_at = $1 where id = 'rival'`, [
      fixture.tools.cluster.clock.now(),
    ]);
    expect(await purge(later(3_651))).to.deep.equal([]);
    await fixture.tools.force(
      `update workspace set settings = settings || '{"retentionDays": 365}' where id = 'rival'`,
    );
    expect(await purge(later(364))).to.deep.equal([]);
    expect(await purge(later(366))).to.deep.equal(['workspace', 'lead_list']);
    const lists = await fixture.tools.force(
      `select t.name, (select count(*)::int from lead_list_member m where m.lead_list_id = t.id) as members from lead_list t where t.workspace_id = 'rival'`,
    );
    expect(lists).to.deep.equal([{ name: '', members: 0 }]);
    expect(await told('rival'), 'credentials, addresses, people').to.not.match(new RegExp(`${SEALED}|voss`, 'i'));
    expect(await told('acme')).to.include(SEALED);
    const leads = await fixture.tools.force(
      `select workspace_id as workspace, email, erased_at is null as live from lead where full_name in ('Ida Voss', '') order by 1`,
    );
    expect(leads).to.deep.equal([
      { workspace: 'acme', email: 'ida@voss.example', live: true },
      { workspace: 'rival', email: null, live: false },
    ]);
  });
});

describe('retentionDays: outcomes that stayed open', function () {
  this.timeout(60_000);
  let fixture: DiagnoseFixture;
  before(async () => {
    fixture = await startDiagnoseFixture();
  });
  after(() => fixture.stop());

  const kinds = async (days: number): Promise<string[]> => {
    const now = fixture.tools.cluster.clock.now() + days * DAY;
    for (const found: string[] = []; ; ) {
      const kind = await fixture.tools.mcp.platform((tx) => purgeDeleted(tx, now));
      if (kind === null) return [...new Set(found)];
      found.push(kind);
    }
  };
  /** A deleted workflow with a message that was sent, and an action of an outcome like this. */
  const deletedWith = async (outcome: object): Promise<void> => {
    const workflowId = await fixture.flow(...FLOW);
    await fixture.enrol(workflowId, 'Ada');
    const before = fixture.network.received.length;
    for (let hour = 0; fixture.network.received.length === before && hour < 24; hour++) await fixture.pass(HOUR);
    await fixture.tools.force(
      `insert into send select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'action', 'visit', 'state', 'unknown') || $2)).*
       from send s where workflow_id = $1 limit 1`,
      [workflowId, JSON.stringify(outcome)],
    );
    await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: false });
    await fixture.acme.call('svc_delete_workflow', { workflowId });
  };

  it('a dead letter keeps its evidence until a person decided; what counts as maybe keeps nothing', async () => {
    await fixture.acme.call('svc_update_workspace', { retentionDays: 30 });
    await deletedWith({ maybe: true });
    expect(await kinds(31), 'maybe').to.deep.equal(['workflow']);

    await deletedWith({ dead_letter_state: 'open', dead_letter_at: fixture.tools.cluster.clock.now() });
    expect(await kinds(31), 'an open letter').to.deep.equal([]);
    await fixture.tools.force(`update send set dead_letter_state = 'discarded' where dead_letter_state = 'open'`);
    expect(await kinds(31), 'a discarded letter').to.deep.equal(['workflow']);
  });

  it('what a call of a purged workflow still brings is forgotten once it has come', async () => {
    const workflowId = await fixture.flow(...FLOW);
    await fixture.enrol(workflowId, 'Ada');
    await fixture.tools.force(
      `insert into node_call (id, workspace_id, workflow_id, campaign_id, run_id, node_id, node_type, lead_id, repeatable, state, epoch, claimed_at, dispatched_at)
       select gen_random_uuid(), r.workspace_id, r.workflow_id, r.campaign_id, r.id, 'n', 'ai:craft', r.lead_id, false, 'dispatched', 1, 1, 1
       from run r where r.workflow_id = $1`,
      [workflowId],
    );
    await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: false });
    await fixture.acme.call('svc_delete_workflow', { workflowId });
    expect(await kinds(31)).to.deep.equal(['workflow']);
    const forget = (): Promise<number> => fixture.tools.mcp.platform((tx) => forgetSettled(tx));
    expect(await forget(), 'nothing has come').to.equal(0);
    // As its executor settles it.
    await fixture.tools.force(
      `update node_call set state = 'settled', outcome = 'done', result = '{"text": "Hello Ada"}', error = 'Ada' where workflow_id = $1`,
      [workflowId],
    );
    expect(await forget()).to.equal(1);
    const calls = await fixture.tools.force('select result, error from node_call where workflow_id = $1', [workflowId]);
    expect(calls).to.deep.equal([{ result: {}, error: null }]);
  });

  it('in a deleted workspace nothing waits for an executor that does not come', async () => {
    await deletedWith({ state: 'dispatched' });
    expect(await kinds(31), 'the next executor looks it up').to.deep.equal([]);
    await fixture.tools.force(`update workspace set deleted_at = $1 where id = 'acme'`, [
      fixture.tools.cluster.clock.now(),
    ]);
    expect(await kinds(31)).to.include('workflow');
  });
});
