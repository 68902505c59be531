import { eventually } from './patient.ts';
import type { Team } from './people.ts';
import type { Release } from './release.ts';

/**
 * Causes what a healthy installation has no series of: a send of unknown outcome that becomes a dead letter, a text that
 * waits for a person, an account that needs its owner, an action of nobody's run that waits for that account, a schedule
 * that has run.
 * @param team it happens to; nothing else is to be sent meanwhile
 */
export async function causeRareSeries(release: Release, team: Team): Promise<void> {
  await outcomeUnknown(release, team);
  await textToReview(release, team);
  await actionThatWaits(release, team);
  await scheduleThatRan(release, team);
}

/** Puts right what `causeRareSeries` did, as far as it came. */
export async function repairRareSeries(release: Release, team: Team): Promise<void> {
  await accountIs(release, team, 'ok');
  await release.sandbox('POST', 'faults', []);
  const { deadLetters } = await release.call<{ deadLetters: { deadLetterId: string }[] }>(
    'svc_admin_list_dead_letters',
    {},
  );
  for (const { deadLetterId } of deadLetters) {
    const decision = { deadLetterId, resolution: 'mark_not_done', reason: 'test of alerts' };
    await release.call('svc_admin_resolve_dead_letter', decision);
  }
}

function accountIs(release: Release, team: Team, status: string): Promise<unknown> {
  return release.sql('update network_account set status = $1 where id = $2', [status, team.accountId]);
}

/** The network takes a message and does not answer; then it can not be read either. */
async function outcomeUnknown(release: Release, team: Team): Promise<void> {
  const leads = await team.people('Grace');
  await release.sandbox('POST', 'faults', [{ action: 'message', kind: 'timeout', rate: 1, ms: 6_000 }]);
  await team.trigger(leads);
  const inState = (state: string): Promise<true> =>
    eventually(`a send that is ${state}`, async () => {
      const rows = await release.sql('select state from send where workspace_id = $1', [team.workspace]);
      return rows.some((row) => row['state'] === state);
    });
  await inState('dispatched');
  await release.sandbox('POST', 'faults', [{ action: 'list', kind: 'error', rate: 1 }]);
  await inState('unknown');
  // The pauses between look-ups grow to hours: this is the last one.
  await eventually('a dead letter', async () => {
    await release.sql(
      `update send set lookups = 11, lookup_after = clock_timestamp()
       where workspace_id = $1 and state = 'unknown' and dead_letter_state is null`,
      [team.workspace],
    );
    const rows = await release.sql('select dead_letter_state from send where workspace_id = $1', [team.workspace]);
    return rows.some((row) => row['dead_letter_state'] === 'open');
  });
}

async function textToReview(release: Release, team: Team): Promise<void> {
  const patch = JSON.stringify({ spec: { reviewMode: 'all' } });
  await release.kubectl('patch', `ocamp/${team.campaign}`, '--type=merge', '-p', patch);
  await release.kubectl('wait', '--for=condition=Ready', `ocamp/${team.campaign}`, '--timeout=60s');
  await team.trigger(await team.people('Ada'));
  await eventually('a text that waits for a person', async () => {
    const rows = await release.sql('select count(*)::int as count from review_item where workspace_id = $1', [
      team.workspace,
    ]);
    return rows[0]?.['count'] === 1;
  });
}

/** It is planned while sends are frozen, and then its account can do nothing until its owner has been there. */
async function actionThatWaits(release: Release, team: Team): Promise<void> {
  const [leadId] = await team.people('Joan');
  const freeze = (frozen: boolean): Promise<unknown> =>
    release.call('svc_admin_set_send_freeze', { frozen, workspaceId: team.workspace, reason: 'test of series' });
  await freeze(true);
  await release.call('svc_send_message', { workspaceId: team.workspace, leadId, body: 'Hello', timing: 'paced' });
  await accountIs(release, team, 'checkpoint');
  await freeze(false);
}

/** An automation with nothing to do; it is due again at each look, so that its runs are counted while somebody looks. */
async function scheduleThatRan(release: Release, team: Team): Promise<void> {
  const { automationId } = await release.call<{ automationId: string }>('svc_upsert_automation', {
    campaignId: team.campaign,
    name: 'Lists',
    kind: 'refresh_query_lists',
    schedule: '0 3 * * *',
  });
  await release.call('svc_toggle_automation', { automationId });
  await eventually('a scheduled run', async () => {
    await release.sql('update schedule set next_at = 1, next_for = 1 where id = $1', [automationId]);
    await release.sql(
      'insert into workspace_wake (workspace_id, due_at) values ($1, 1) on conflict (workspace_id) do update set due_at = 1',
      [team.workspace],
    );
    const rows = await release.sql(`select 1 from scheduled_run where schedule_id = $1 and state = 'succeeded'`, [
      automationId,
    ]);
    return rows.length > 0;
  });
}
