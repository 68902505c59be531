import type { Cluster } from './cluster.ts';
import { eventually } from './patient.ts';
import type { Team } from './people.ts';
import type { Release } from './release.ts';

/** Requests of the operator that this level takes are refused with 429 as long as it is there; its Lease is none of them. */
const JAIL = 'outrider-e2e-events';

/**
 * Causes what a healthy installation has no series of: a send of unknown outcome that becomes a dead letter, a text that
 * waits for a person, an account that needs its owner, an API server that slows the operator down.
 * @param team it happens to; nothing else is to be sent meanwhile
 */
export async function causeRareSeries(cluster: Cluster, release: Release, team: Team): Promise<void> {
  await outcomeUnknown(release, team);
  await textToReview(release, team);
  await slowedDown(cluster, release);
  await accountIs(release, team, 'checkpoint');
}

/** Puts right what `causeRareSeries` did, as far as it came. */
export async function repairRareSeries(cluster: Cluster, release: Release, team: Team): Promise<void> {
  await cluster.kubectl(['delete', 'flowschema,prioritylevelconfiguration', JAIL, '--ignore-not-found']);
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
}

/** The operator's events find no room in the API server. */
async function slowedDown(cluster: Cluster, release: Release): Promise<void> {
  const level = {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name: JAIL },
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 0, limitResponse: { type: 'Reject' } } },
  };
  const subject = { name: 'outrider-operator', namespace: release.namespace };
  const events = { verbs: ['*'], apiGroups: ['events.k8s.io'], resources: ['events'], namespaces: ['*'] };
  const schema = {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name: JAIL },
    spec: {
      priorityLevelConfiguration: { name: JAIL },
      matchingPrecedence: 2,
      rules: [{ subjects: [{ kind: 'ServiceAccount', serviceAccount: subject }], resourceRules: [events] }],
    },
  };
  await cluster.kubectl(['apply', '-f', '-'], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [level, schema] }),
  });
}
