import { expect } from 'chai';
import { admit } from '../../../pkg/standalone/node-agent/admission.ts';
import { podSchema } from '../../../pkg/standalone/node-agent/pod-shape.ts';

const OWNER = { uid: 'u-1', id: 'ws-1' };

function pod(
  change: { name?: string; env?: object[]; owners?: object[]; containers?: number } = {},
): ReturnType<typeof podSchema.parse> {
  const container = { name: 'executor', env: change.env ?? [{ name: 'OUTRIDER_WORKSPACE', value: 'ws-1' }] };
  return podSchema.parse({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: change.name ?? 'ex-u-1',
      namespace: 'outrider',
      uid: 'pod-uid',
      ownerReferences: change.owners ?? [
        { apiVersion: 'outrider.dev/v1alpha1', kind: 'Workspace', name: 'ws-1', uid: 'u-1', controller: true },
      ],
    },
    spec: { containers: Array.from({ length: change.containers ?? 1 }, () => container) },
  });
}

describe('the node agent runs executors of Workspaces only', () => {
  it('runs the Pod of a Workspace that exists, as that workspace', () => {
    expect(admit(pod(), OWNER, 'outrider')).to.deep.equal({
      identity: { podUid: 'pod-uid', role: 'workspace', workspaceId: 'ws-1' },
    });
  });

  it('runs the Pod of a tenant Workspace, which lives in the home namespace and nowhere else', () => {
    const shape = pod({ owners: [], env: [{ name: 'OUTRIDER_WORKSPACE', value: 'tenant-a.ws-1' }] });
    shape.metadata.labels = { 'outrider.dev/workspace-uid': 'u-1' };
    const owner = { uid: 'u-1', id: 'tenant-a.ws-1' };
    expect(admit(shape, owner, 'outrider')).to.have.property('identity');
    expect(admit(shape, owner, 'elsewhere')).to.have.property('refused');
    expect(admit(shape, { ...owner, uid: 'u-2' }, 'outrider')).to.have.property('refused');
  });

  it('runs a Pod of the pool as its member', () => {
    const shape = pod({ name: 'ex-pool-3', owners: [], env: [{ name: 'OUTRIDER_ROLE', value: 'pool' }] });
    expect(admit(shape, undefined, 'outrider')).to.deep.equal({
      identity: { podUid: 'pod-uid', role: 'pool', member: 'ex-pool-3' },
    });
  });

  const foreign: [string, ReturnType<typeof pod>, typeof OWNER | undefined][] = [
    ['a Pod without an owner', pod({ owners: [] }), OWNER],
    [
      'a Pod of another controller',
      pod({ owners: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: 'u-1', controller: true }] }),
      OWNER,
    ],
    ['a Pod whose Workspace does not exist', pod(), undefined],
    ['a Pod whose Workspace was made anew', pod(), { uid: 'u-2', id: 'ws-1' }],
    ['a Pod that claims to be another workspace', pod({ env: [{ name: 'OUTRIDER_WORKSPACE', value: 'ws-2' }] }), OWNER],
    ['a Pod with a second container', pod({ containers: 2 }), OWNER],
    [
      'a Pod with a variable that changes the runtime',
      pod({ env: [{ name: 'NODE_OPTIONS', value: '--require=/tmp/x' }] }),
      OWNER,
    ],
    ['a Pod that chooses its own user', pod({ env: [{ name: 'OUTRIDER_RUN_AS', value: '1:1' }] }), OWNER],
    [
      'a Pod of the pool outside the home namespace',
      pod({ name: 'ex-pool-0', env: [{ name: 'OUTRIDER_ROLE', value: 'pool' }] }),
      OWNER,
    ],
    ['a Pod that bears a name of the pool and works for one workspace', pod({ name: 'ex-pool-0' }), OWNER],
    [
      'a Pod whose name only begins as one of the pool',
      pod({ name: 'ex-pool-00', owners: [], env: [{ name: 'OUTRIDER_ROLE', value: 'pool' }] }),
      OWNER,
    ],
    ['a second account sync outside the home namespace', pod({ name: 'ex-accounts' }), OWNER],
  ];
  for (const [reason, shape, owner] of foreign) {
    it(`refuses ${reason}`, () => {
      expect(admit(shape, owner, reason.includes('home namespace') ? 'elsewhere' : 'outrider')).to.have.property(
        'refused',
      );
    });
  }
});
