import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { workflowChecks } from '../../../pkg/tools/search-diagnostics/checks/workflow-checks.ts';
import type { Bench } from '../../fixtures/engine/harness.ts';
import { change, passTime, query } from '../../fixtures/engine/harness.ts';
import type { MailFixture, MailWorkspace } from '../../fixtures/engine/mail-fixture.ts';
import { MailNodeFixture, mail } from '../../fixtures/engine/mail-node-fixture.ts';
import { chain, HOUR, MINUTE, runOf } from '../../fixtures/engine/workflow-fixture.ts';

const CLI = new URL('../../../cmd/outrider/main.ts', import.meta.url).pathname;

describe('a mailbox that paused itself', function () {
  this.timeout(180_000);
  let bench: Bench;
  let fixture: MailFixture;
  let nodeFixture: MailNodeFixture;
  before(async () => {
    nodeFixture = await MailNodeFixture.open();
    ({ bench, fixture } = nodeFixture);
    // The command goes by the machine's clock.
    await bench.clock.advance(Date.now() - 2 * HOUR - bench.clock.now());
  });
  after(() => nodeFixture.close());

  /** Connects the mailbox as an operator does, whose command knows a sandbox elsewhere. */
  const connect = async (at: MailWorkspace, ...options: string[]): Promise<string> => {
    const [servers] = await query<object>(
      bench,
      'select smtp_host, smtp_port, imap_host, imap_port, sealed from mailbox where account_id = $1',
      [at.box],
    );
    const { PATH: path } = process.env;
    const env = { PATH: path, OWNER_DATABASE_URL: bench.ownerUrl, OUTRIDER_SECRETS_KEY: 's'.repeat(40) };
    const args = [CLI, 'mailbox', 'connect', at.address, '--workspace', at.ws, ...options];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    await change(
      bench,
      'update mailbox set (smtp_host, smtp_port, imap_host, imap_port, sealed) = ($2, $3, $4, $5, $6) where account_id = $1',
      [at.box, ...Object.values(servers ?? {})],
    );
    return stdout;
  };
  const stateOf = async (at: MailWorkspace): Promise<string> => {
    const [box] = await query<{ paused: boolean; pause_reason: string }>(
      bench,
      'select a.paused, m.pause_reason from mailbox m join network_account a on a.id = m.account_id where a.id = $1',
      [at.box],
    );
    return `${box?.paused ? 'paused' : 'sends'} ${box?.pause_reason}`.trim();
  };
  const writeTo = async (at: MailWorkspace, ...bounces: string[]): Promise<void> => {
    for (const bounce of bounces) await nodeFixture.start(at, await fixture.person({ bounce }));
    await passTime(bench, at.handle, HOUR, 10 * MINUTE);
    await fixture.sync(at);
  };
  /** A mailbox of whose first mails two came back. */
  const pausedPlace = async (): Promise<MailWorkspace> => {
    const at = await fixture.workflowFixture(chain(mail()));
    await change(bench, 'update mailbox set min_sample = 2, min_gap_ms = 0 where account_id = $1', [at.box]);
    await writeTo(at, 'none', 'hard', 'hard');
    expect(await stateOf(at)).to.equal('paused 2 of 3 mails bounced');
    return at;
  };

  it('is resumed by connecting it with --resume; what it sent before counts no longer, and it pauses again when that is bad again', async () => {
    const at = await pausedPlace();
    const leadId = await nodeFixture.start(at, await fixture.person());
    expect(await runOf(bench, leadId)).to.include({ wait_reason: 'account_unhealthy' });

    const why = await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      workflowChecks({ tx, workspaceId: at.ws, targetId: at.flow, now: bench.clock.now(), isConfigured: () => true }),
    );
    expect(why.find(({ check }) => check === 'waiting_account_unhealthy')?.detail).to.match(
      new RegExp(
        `mailbox ${at.box} is paused \\(2 of 3 mails bounced\\): an operator resumes it by \`outrider mailbox connect ${at.address} --resume\``,
      ),
    );

    expect(await connect(at)).to.equal(
      `${at.box} is connected for workspace ${at.ws} and stays paused: 2 of 3 mails bounced. Once the cause is mended, connect it with --resume.\n`,
    );
    expect(await stateOf(at)).to.equal('paused 2 of 3 mails bounced');

    expect(await connect(at, '--resume')).to.equal(
      `${at.box} mails from ${at.address} for workspace ${at.ws}. Use mail:send in a workflow.\n`,
    );
    expect(await stateOf(at)).to.equal('sends');
    await bench.clock.advance(2 * HOUR);
    await passTime(bench, at.handle, HOUR, 10 * MINUTE);
    expect(await nodeFixture.outcome(leadId), 'who waited').to.equal('sent');
    // The last of the old mails comes back only now.
    await change(
      bench,
      `insert into mail_report (account_id, external_id, kind, send_id, address, at)
       select account_id, 'late-' || id, 'hard_bounce', id, target ->> 'to', $2 from send where account_id = $1 and lead_id <> $3`,
      [at.box, bench.clock.now(), leadId],
    );
    await writeTo(at, 'none');
    expect(await stateOf(at), 'what was before').to.equal('sends');

    await writeTo(at, 'hard');
    expect(await stateOf(at), 'bad again').to.equal('paused 1 of 3 mails bounced');
  });

  it('is judged again, and paused, when somebody lifted the pause past the command', async () => {
    const at = await pausedPlace();
    await change(bench, 'update network_account set paused = false where id = $1', [at.box]);
    await fixture.sync(at);
    expect(await stateOf(at)).to.equal('paused 2 of 3 mails bounced');
  });
});
