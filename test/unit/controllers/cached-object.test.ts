import { expect } from 'chai';
import { type CachedObject, cachedOf } from '../../../pkg/controllers/cached-object.ts';
import { FORCE_DELETE, RELEASE_HOLD } from '../../../pkg/controllers/names.ts';
import { SharedValues } from '../../../pkg/kube/shared-values.ts';
import type { OutriderObject } from '../../../pkg/tools/resources/kinds.ts';

const CONDITION = {
  type: 'Ready',
  status: 'True',
  reason: 'Succeeded',
  message: 'The workflow is in force.',
  lastTransitionTime: '2026-01-05T09:00:00Z',
  observedGeneration: 3,
};

/** As JSON gives it: no two objects share anything. */
function parsed(kind: string, name: string, spec: object, extra: object = {}): OutriderObject {
  const object = {
    apiVersion: 'outrider.dev/v1alpha1',
    kind,
    metadata: {
      name,
      namespace: 'outrider',
      uid: `uid-${name}`,
      resourceVersion: '17',
      generation: 3,
      creationTimestamp: '2026-01-05T08:00:00Z',
      finalizers: ['outrider.dev/rows'],
      labels: { team: 'x' },
      ownerReferences: [{ apiVersion: 'outrider.dev/v1alpha1', kind: 'Campaign', name: 'camp', uid: 'uid-camp' }],
      managedFields: [{ manager: 'kubectl' }],
      ...extra,
    },
    spec,
    status: { observedGeneration: 3, nodeCount: 10, conditions: [CONDITION] },
  };
  return JSON.parse(JSON.stringify(object)) as OutriderObject;
}

const GRAPH = {
  nodes: Array.from({ length: 10 }, (_, at) => ({ nodeId: `n${at}`, nodeType: 'flow:wait' })),
  edges: [],
};

describe('what the caches keep', () => {
  const flow = (name: string, extra: object = {}): OutriderObject =>
    parsed('Workflow', name, { campaignRef: { name: 'camp' }, name: 'W', graph: GRAPH }, extra);

  it('metadata, the reference and the status of a Workflow, and nothing of its graph', () => {
    const annotations = {
      [RELEASE_HOLD]: '2026-01-05T09:00:00Z',
      [FORCE_DELETE]: 'true',
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(GRAPH),
    };
    const deletionTimestamp = '2026-01-05T10:00:00Z';
    const { metadata, status } = flow('flow', { annotations, deletionTimestamp });
    const seen = cachedOf(flow('flow', { annotations, deletionTimestamp }), new SharedValues());
    expect(seen).to.deep.equal({
      apiVersion: 'outrider.dev/v1alpha1',
      kind: 'Workflow',
      metadata: {
        name: 'flow',
        namespace: 'outrider',
        uid: 'uid-flow',
        resourceVersion: '17',
        generation: 3,
        deletionTimestamp,
        finalizers: ['outrider.dev/rows'],
        ownerReferences: metadata.ownerReferences,
        annotations: { [RELEASE_HOLD]: '2026-01-05T09:00:00Z', [FORCE_DELETE]: 'true' },
      },
      parent: 'outrider/camp',
      status,
    });
  });

  it('of a Workspace also what its executor is made from; it refers to nothing', () => {
    const executor = { idleTimeout: '5m', nodeSelector: { pool: 'a' } };
    const workspace = parsed('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example', executor });
    const seen = cachedOf(workspace, new SharedValues());
    expect(seen).to.include({ parent: '' }).and.not.have.property('spec');
    expect(seen.executor).to.deep.equal(executor);
  });

  it('of a reference that is missing, a key that no object has', () => {
    expect(cachedOf(parsed('Campaign', 'camp', { workspaceRef: {} }), new SharedValues()).parent).to.equal('outrider/');
  });

  it('equal parts of many objects are one in memory', () => {
    const shared = new SharedValues();
    const spec = { executor: { idleTimeout: '5m' } };
    const [a, b] = ['a', 'b'].map((name) => cachedOf(parsed('Workspace', name, spec), shared)) as [
      CachedObject,
      CachedObject,
    ];
    expect(a.executor).to.equal(b.executor);
    expect(a.metadata.finalizers).to.equal(b.metadata.finalizers);
  });
});
