import { expect } from 'chai';
import pg from 'pg';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { GIVEN_RECORDS } from '../../../fixtures/given-records.ts';
import { eventually } from '../../../tools/kube.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const reason = 'test';

describe('rules of platform admins', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let admin: ToolUser;
  let adminId: string;

  before(async () => {
    tools = await startMcpTools();
    adminId = await tools.mcp.user({ admin: true });
    admin = tools.user(await tools.mcp.client((await tools.mcp.key({ userId: adminId })).plaintext));
  });
  after(() => tools.stop());

  const send = async (account: string, state: string): Promise<string> => {
    const id = systemIds.uuid();
    await tools.force(
      `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id,
         action, state, epoch, claimed_at)
       values ($1, 'acme', 'w', 'c', gen_random_uuid(), 'n', gen_random_uuid(), gen_random_uuid(), $2, 'message', $3, 1, 1)`,
      [id, account, state],
    );
    return id;
  };

  describe('D1: dead letters', () => {
    const made = async (): Promise<string> => {
      const account = await tools.account('acme');
      const id = await send(account, 'unknown');
      await tools.force(
        `update send set dispatched_at = 1, dead_letter_at = 1, dead_letter_state = 'open' where id = $1`,
        [id],
      );
      return id;
    };
    const state = async (id: string): Promise<unknown> =>
      (await tools.force('select dead_letter_state from send where id = $1', [id]))[0];

    it('D1: dead letters show evidence (request hash, times, both look-ups) and the one safe next step', async () => {
      const deadLetterId = await made();
      const looks = [
        { at: 5, what: 'looked up', text: 'not found', by: 'executor' },
        { at: 9, what: 'looked up', text: 'timed out', by: 'executor' },
      ];
      await tools.force(`update send set body = 'Hi', evidence = $2, dispatched_at = 3 where id = $1`, [
        deadLetterId,
        JSON.stringify(looks),
      ]);
      const { deadLetters } = await admin.call<{ deadLetters: { deadLetterId: string; evidence: object[] }[] }>(
        'svc_admin_list_dead_letters',
      );
      const letter = deadLetters.find((one) => one.deadLetterId === deadLetterId);
      expect(letter).to.include({ firstAt: '1970-01-01T00:00:00.001Z', dispatchedAt: '1970-01-01T00:00:00.003Z' });
      expect(letter)
        .to.have.property('requestHash')
        .that.matches(/^[0-9a-f]{64}$/);
      expect(letter?.evidence).to.deep.equal(looks.map((look) => ({ ...look, at: new Date(look.at).toISOString() })));
      expect(letter).to.include({ nextStep: 'Call svc_admin_resolve_dead_letter with lookup.' });
    });

    it('D1: retry after unknown only with a fresh look-up', async () => {
      const deadLetterId = await made();
      const refused = await admin.refusal('svc_admin_resolve_dead_letter', {
        deadLetterId,
        resolution: 'retry',
        reason,
      });
      expect(refused).to.match(/unknown; look it up or mark it before a retry/);
      expect(await state(deadLetterId)).to.deep.equal({ dead_letter_state: 'open' });
    });

    it('D1: every decision needs a reason', async () => {
      const deadLetterId = await made();
      for (const resolution of ['lookup', 'mark_done', 'mark_not_done', 'discard'])
        expect(await admin.refusal('svc_admin_resolve_dead_letter', { deadLetterId, resolution })).to.match(/reason/);
      expect(await state(deadLetterId)).to.deep.equal({ dead_letter_state: 'open' });
    });

    it('D1: mark_done settles the send as sent', async () => {
      const deadLetterId = await made();
      await admin.call('svc_admin_resolve_dead_letter', { deadLetterId, resolution: 'mark_done', reason });
      const [row] = await tools.force('select state, dead_letter_state from send where id = $1', [deadLetterId]);
      expect(row).to.deep.equal({ state: 'confirmed', dead_letter_state: 'resolved' });
    });
  });

  describe('D2: send freeze', () => {
    const freeze = (input: object): Promise<{ lastEffectAfterMs: number | null }> =>
      admin.call('svc_admin_set_send_freeze', { frozen: true, reason, ...input });
    const lift = (input: object): Promise<unknown> =>
      admin.call('svc_admin_set_send_freeze', { frozen: false, reason, ...input });

    it('D2: measured: time from call to last dispatched effect is shown in the result', async () => {
      const accountId = await tools.account('acme');
      expect(await freeze({ accountId }), 'nothing was under way').to.include({ lastEffectAfterMs: null });
      await lift({ accountId });
      const id = await send(accountId, 'claimed');
      const executor = new pg.Client({ connectionString: tools.cluster.superuserUrl });
      await executor.connect();
      try {
        // It has looked before the freeze was there, and commits after it.
        await executor.query('begin');
        await executor.query('select pg_current_xact_id()');
        const call = freeze({ accountId });
        await eventually('frozen', async () => {
          const rows = await tools.rows('select 1 from send_freeze where target = $1', [accountId]);
          return rows.length > 0;
        });
        await executor.query(
          `update outrider.send
           set state = 'dispatched', dispatched_at = 1, dispatched_real = clock_timestamp()
           where id = $1`,
          [id],
        );
        await executor.query('commit');
        const { lastEffectAfterMs } = await call;
        expect(lastEffectAfterMs).to.be.a('number').and.above(0);
      } finally {
        await executor.end();
      }
      await lift({ accountId });
    });

    it('D2: what left elsewhere does not count', async () => {
      const [frozen, other] = [await tools.account('acme'), await tools.account('rival')];
      const id = await send(other, 'dispatched');
      await tools.force(`update send set dispatched_real = clock_timestamp() + interval '1 second' where id = $1`, [
        id,
      ]);
      expect(await freeze({ accountId: frozen })).to.include({ lastEffectAfterMs: null });
      const { lastEffectAfterMs } = await freeze({});
      expect(lastEffectAfterMs).to.be.a('number');
      await lift({});
    });

    it('D2: release is a separate audited act', async () => {
      const accountId = await tools.account('acme');
      await freeze({ accountId });
      await lift({ accountId });
      const listed = { toolName: 'svc_admin_set_send_freeze', actorId: adminId, recordId: accountId };
      await eventually('audited', async () => {
        const { auditEvents } = await admin.call<{ auditEvents: object[] }>('svc_admin_list_audit_events', listed);
        return auditEvents.length === 2;
      });
    });
  });

  describe('D4: adjust credits', () => {
    it('D4: same key twice = one entry, also concurrent with another', async () => {
      const call = { workspaceId: 'rival', amount: 10, reason, idempotencyKey: 'twice' };
      const answers = await Promise.all(
        [1, 2, 3].map(() => admin.again<{ balance: number }>('svc_admin_adjust_credits', call)),
      );
      expect(new Set(answers.map(({ balance }) => balance))).to.deep.equal(new Set([10]));
      const entries = await tools.rows(`select 1 from credit_entry where workspace_id = 'rival' and kind = 'grant'`);
      expect(entries).to.have.length(1);
    });

    it('D4: never below held', async () => {
      const call = { workspaceId: 'rival', reason };
      expect(
        await admin.refusal('svc_admin_adjust_credits', { ...call, amount: -11, idempotencyKey: 'below' }),
      ).to.match(/below what is held/);
    });
  });

  it('D5: unlink account stops runs, keeps proof, hands conversations to nobody', async () => {
    const accountId = await tools.account('acme');
    const sent = await send(accountId, 'confirmed');
    const run = systemIds.uuid();
    await tools.force(
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, entered_at,
         started_at, account_id)
       values ($1, 'acme', 'w', 'c', gen_random_uuid(), 1, 'n', 'waiting', 1, 1, $2)`,
      [run, accountId],
    );
    const acme = await tools.as({ workspace: 'acme' });
    const conversationId = await GIVEN_RECORDS['conversationId']?.make(tools, () => accountId);
    await acme.call('svc_list_messages', { conversationId });
    const unlink = { action: 'unlink', accountKind: 'network', accountId, workspaceId: 'acme' };
    expect(await admin.call('svc_admin_link_account', unlink)).to.deep.include({ stoppedRuns: 1, workspaceIds: [] });
    expect(await tools.force('select state, end_reason from run where id = $1', [run])).to.deep.equal([
      { state: 'stopped', end_reason: 'account unlinked' },
    ]);
    expect(await tools.force('select state from send where id = $1', [sent])).to.deep.equal([{ state: 'confirmed' }]);
    expect(await acme.refusal('svc_list_messages', { conversationId })).to.match(/was not found/);
  });
});
