import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { forgetSettled } from '../../../../pkg/store/erasure/erasure.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const ADDRESS = 'ida@voss.example';

/** What servers and look-ups say of a person names them: it is part of what a person asks to be erased. */
describe('what is left of an erased person', () => {
  let tools: McpTools;
  let acme: ToolUser;
  let leadId = '';
  let workspaceId = '';
  let runId = '';

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    await tools.account('acme');
    ({ leadId } = await acme.call<{ leadId: string }>('svc_upsert_lead', {
      firstName: 'Ida',
      lastName: 'Voss',
      email: ADDRESS,
    }));
    const { campaignId } = await acme.call('svc_create_campaign', { title: 'C' });
    const graph = {
      nodes: [
        { nodeType: 'source:manual' },
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 86_400_000 } },
      ],
      edges: [{ sourceIndex: 0, targetIndex: 1 }],
    };
    const { workflowId } = await acme.call('svc_create_workflow', { campaignId, name: 'F', graph });
    await acme.call('svc_update_workflow_status', { workflowId, enabled: true });
    await acme.call('svc_trigger_workflow', { workflowId, leadIds: [leadId] });
    const [run] = await tools.rows<{ id: string; workspace_id: string }>('select id, workspace_id from run');
    runId = run?.id ?? '';
    workspaceId = run?.workspace_id ?? '';
    await tools.force(
      `update outrider.run set facts = '{"mail": {"subject": "Ida Voss, a question", "references": []}, "touches": 1}'`,
    );
  });
  after(() => tools.stop());

  /** A mail to the person as the engine leaves it. */
  const send = async (state: string, settledAt: number | null): Promise<string> => {
    const id = randomUUID();
    await tools.force(
      `insert into outrider.send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, body, target, claimed_at,
         dispatched_at, settled_at, outcome, error, evidence)
       select $1, r.workspace_id, r.workflow_id, r.campaign_id, r.id, 'n', r.lead_id, r.person_id, l.account_id, 'mail', $2, 1, 'Hello Ida Voss', $4, 1, 1, $3,
         case when $3::bigint is null then null else 'sent' end, $5, $6
       from outrider.run r join outrider.account_link l on l.workspace_id = r.workspace_id`,
      [
        id,
        state,
        settledAt,
        JSON.stringify({ to: ADDRESS, subject: 'Ida Voss, a question' }),
        `550 5.1.1 <${ADDRESS}>: user unknown`,
        JSON.stringify([{ at: 1, what: 'lost_answer', text: `while ${ADDRESS} was told` }]),
      ],
    );
    return id;
  };
  const traces = async (): Promise<string[]> => {
    const rows = await tools.force<{ what: string; text: string }>(
      `select 'send ' || state as what, s::text as text from outrider.send s union all select 'run', r::text from outrider.run r
       union all select 'report', m::text from outrider.mail_report m union all select 'suppression', s::text from outrider.suppression s`,
    );
    return rows.filter(({ text }) => /voss|hello/i.test(text)).map(({ what }) => what);
  };

  it('is no word that a server said of them, no subject, no bounce, and of what is still open nothing once it is known', async () => {
    const [bounced, open] = [await send('confirmed', 2), await send('unknown', null)];
    await tools.force(
      `insert into outrider.mail_report (account_id, external_id, kind, send_id, address, reason, at)
       select account_id, 'report-1', 'hard_bounce', id, $2, '5.1.1 ' || $2, 1 from outrider.send where id = $1`,
      [bounced, ADDRESS],
    );
    await tools.force(
      `insert into outrider.suppression (id, workspace_id, level, kind, value, source, reason, created_by, created_at)
       values (gen_random_uuid(), $1, 'workspace', 'mail', $2, 'bounce', '5.1.1 ' || $2, 'account-sync', 1)`,
      [workspaceId, ADDRESS],
    );
    await acme.call('svc_erase_lead', { leadId, reason: 'data_subject_request' });
    // What may have left is looked up by its text and address.
    expect(await traces()).to.deep.equal(['send unknown']);
    const forget = (): Promise<number> => tools.cluster.db.tx({ kind: 'platform' }, (tx) => forgetSettled(tx));
    expect(await forget()).to.equal(0);

    await tools.force(`update outrider.send set state = 'confirmed', outcome = 'sent', settled_at = 3 where id = $1`, [
      open,
    ]);
    expect([await forget(), await forget()]).to.deep.equal([1, 0]);
    expect(await traces()).to.deep.equal([]);
    const kept = await tools.rows('select id, state, outcome from send where run_id = $1 order by settled_at', [runId]);
    expect(kept, 'that contact was made').to.deep.equal([
      { id: bounced, state: 'confirmed', outcome: 'sent' },
      { id: open, state: 'confirmed', outcome: 'sent' },
    ]);
    const [report] = await tools.rows('select kind, send_id from mail_report');
    expect(report, 'the health of the mailbox counts it').to.deep.equal({ kind: 'hard_bounce', send_id: bounced });
  });

  it('is, where the workspace was deleted meanwhile, nothing a day after its executor was gone', async () => {
    const open = await send('unknown', null);
    // As the erasure leaves it.
    await tools.force('insert into outrider.erased_send (workspace_id, send_id) values ($1, $2)', [workspaceId, open]);
    const forget = (): Promise<number> => tools.cluster.db.tx({ kind: 'platform' }, (tx) => forgetSettled(tx));
    const dispatched = (ago: string): Promise<unknown> =>
      tools.force(`update outrider.send set dispatched_real = now() - $2::interval where id = $1`, [open, ago]);
    await dispatched('2 days');
    expect(await forget(), 'an executor looks it up').to.equal(0);

    await tools.force('update outrider.workspace set deleted_at = 1 where id = $1', [workspaceId]);
    await dispatched('1 hour');
    expect(await forget(), 'its executor may be at it').to.equal(0);
    await tools.force(`update outrider.send set dead_letter_state = 'open' where id = $1`, [open]);
    await dispatched('2 days');
    expect(await forget(), 'a person decides about it').to.equal(0);
    await tools.force('update outrider.send set dead_letter_state = null where id = $1', [open]);
    expect([await forget(), await forget()]).to.deep.equal([1, 0]);
    expect(await traces()).to.deep.equal([]);
    await tools.force('update outrider.workspace set deleted_at = null where id = $1', [workspaceId]);
  });

  it('is no signal that the workspace has of somebody of the pool; what the pool tells stays', async () => {
    const [shared, company] = [randomUUID(), randomUUID()];
    await tools.force(
      `insert into outrider.lead (id, full_name, created_at, updated_at) values ($1, 'Pool Person', 1, 1)`,
      [shared],
    );
    await acme.call('svc_upsert_lead', { leadId: shared, tags: ['known'] });
    for (const owner of [workspaceId, null]) {
      await tools.force(
        `insert into outrider.signal (id, workspace_id, type, lead_id, company_id, title, occurred_at, detected_at, expires_at)
         values (gen_random_uuid(), $1, 'job_change', $2, $3, 'Pool Person changed jobs', 1, 1, 1)`,
        [owner, shared, company],
      );
    }
    await acme.call('svc_erase_lead', { leadId: shared, reason: 'data_subject_request' });
    expect(await tools.force('select workspace_id from outrider.signal where lead_id = $1', [shared])).to.deep.equal([
      { workspace_id: null },
    ]);
  });

  it('takes what the person has to find, not what the workspace has', async () => {
    const other = await acme.call<{ leadId: string }>('svc_upsert_lead', { email: 'ole@voss.example' });
    await tools.force(
      `insert into outrider.send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at, settled_at)
       select gen_random_uuid(), workspace_id, workflow_id, campaign_id, gen_random_uuid(), node_id, gen_random_uuid(), person_id, account_id, action, 'confirmed', 1, 1, 1
       from outrider.send, generate_series(1, 3000)`,
    );
    await tools.force(
      `insert into outrider.review_item (id, workspace_id, workflow_id, campaign_id, run_id, lead_id, node_id, send_node_id, channel, body, original_body, created_at, expires_at)
       select gen_random_uuid(), workspace_id, workflow_id, campaign_id, gen_random_uuid(), gen_random_uuid(), 'n', 'n', 'mail', '', '', 1, 1
       from outrider.run, generate_series(1, 6000)`,
    );
    await tools.force('analyze outrider.send, outrider.review_item');
    // The planner itself looks at the ends of an index, a few rows.
    const looked = await tools.cluster.db.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec('select app.erase_lead($1, $2, 1, true)', [workspaceId, other.leadId]);
      return tx.rows(
        `select relname as table, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables
         where relname in ('send', 'review_item') and seq_tup_read + coalesce(idx_tup_fetch, 0) > 100`,
      );
    });
    expect(looked).to.deep.equal([]);
  });
});
