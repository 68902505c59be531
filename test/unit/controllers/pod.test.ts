import { expect } from 'chai';
import { executorPodName } from '../../../pkg/controllers/names.ts';
import { executorPod, type PodRole } from '../../../pkg/controllers/workspace/pod.ts';

const SETTINGS = {
  image: 'outrider:1',
  env: { SANDBOX_URL: 'http://sandbox' },
  databaseSecret: 'outrider-executor',
  serviceAccount: 'ex',
  command: ['node', 'cmd/executor/main.ts'],
};
const ROLE: PodRole = {
  role: 'workspace',
  id: 'acme',
  key: 'outrider/acme',
  uid: 'u',
  owner: undefined,
  executor: { idleTimeout: '5m' },
};

interface Container {
  resources: { requests: object; limits: object };
  env: { name: string; value?: string; valueFrom?: object }[];
  securityContext: object;
}

describe('executor pod', () => {
  const containerOf = (role: PodRole): Container =>
    (executorPod('ex-u', 'outrider', role, SETTINGS) as unknown as { spec: { containers: [Container] } }).spec
      .containers[0];

  it('never carries the database login, only a reference to it', () => {
    const entry = containerOf(ROLE).env.find((one) => one.name === 'DATABASE_URL');
    expect(entry).to.deep.equal({
      name: 'DATABASE_URL',
      valueFrom: { secretKeyRef: { name: 'outrider-executor', key: 'DATABASE_URL' } },
    });
  });

  it('says which workspace it works for, or that it syncs accounts', () => {
    expect(containerOf(ROLE).env[0]).to.deep.equal({ name: 'OUTRIDER_WORKSPACE', value: 'acme' });
    expect(containerOf({ role: 'accounts' }).env[0]).to.deep.equal({ name: 'OUTRIDER_ROLE', value: 'accounts' });
  });

  it('runs under the restricted security standard without Kubernetes credentials', () => {
    const { spec } = executorPod('ex-u', 'outrider', ROLE, SETTINGS);
    expect(spec).to.deep.include({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      restartPolicy: 'Always',
    });
    expect(spec?.['securityContext']).to.deep.include({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(containerOf(ROLE).securityContext).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('changes its template hash exactly when something it is made from changes', () => {
    const hash = (settings: typeof SETTINGS): unknown =>
      executorPod('ex-u', 'outrider', ROLE, settings).metadata.annotations?.['outrider.dev/template'];
    expect(hash({ ...SETTINGS })).to.equal(hash(SETTINGS));
    expect(hash({ ...SETTINGS, image: 'outrider:2' })).not.to.equal(hash(SETTINGS));
  });

  it('takes what the platform adds; what its Workspace says about its place goes before it', () => {
    const pod = {
      labels: { team: 'growth', 'app.kubernetes.io/component': 'other' },
      annotations: { mesh: 'off' },
      nodeSelector: { pool: 'apps', zone: 'a' },
      priorityClassName: 'low',
      tolerations: [{ key: 'apps', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      hostUsers: false,
      volumes: [{ name: 'ca', configMap: { name: 'ca' } }],
      volumeMounts: [{ name: 'ca', mountPath: '/etc/ca' }],
    };
    const own = { nodeSelector: { zone: 'b' }, priorityClassName: 'high', tolerations: [{ key: 'acme' }] };
    const role: PodRole = { ...ROLE, executor: { ...ROLE.executor, ...own } };
    const { metadata, spec } = executorPod('ex-u', 'outrider', role, { ...SETTINGS, pod });
    expect(metadata.labels).to.include({ team: 'growth', 'app.kubernetes.io/component': 'executor' });
    expect(metadata.annotations).to.include({ mesh: 'off' });
    expect(spec).to.deep.include({
      nodeSelector: { pool: 'apps', zone: 'b' },
      priorityClassName: 'high',
      tolerations: [{ key: 'apps', operator: 'Exists' }, { key: 'acme' }],
      affinity: { nodeAffinity: {} },
      hostUsers: false,
    });
    const { volumes, containers } = spec as unknown as { volumes: object[]; containers: { volumeMounts: object[] }[] };
    expect(volumes).to.deep.include(pod.volumes[0]);
    expect(containers[0]?.volumeMounts).to.deep.include(pod.volumeMounts[0]);
    const template = (settings: object): unknown =>
      executorPod('ex-u', 'outrider', role, { ...SETTINGS, ...settings }).metadata.annotations?.[
        'outrider.dev/template'
      ];
    expect(template({ pod: { ...pod, annotations: { mesh: 'on' } } })).not.to.equal(template({ pod }));
    expect(template({ pod: {} })).to.equal(template({}));
  });

  const MEMORY: [what: string, own: { requests?: object; limits?: object }, requests: object, limits: object][] = [
    ['says nothing', {}, { cpu: '50m', memory: '96Mi' }, { memory: '256Mi' }],
    ['asks for more', { requests: { memory: '1Gi' } }, { cpu: '50m', memory: '1Gi' }, { memory: '1Gi' }],
    ['asks for less', { requests: { memory: 67_108_864 } }, { cpu: '50m', memory: 67_108_864 }, { memory: '256Mi' }],
    ['allows less', { limits: { memory: '64M' } }, { cpu: '50m', memory: '64M' }, { memory: '64M' }],
    ['allows more', { limits: { memory: '1e9' } }, { cpu: '50m', memory: '96Mi' }, { memory: '1e9' }],
    [
      'bounds its CPU only',
      { limits: { cpu: '0.02' } },
      { cpu: '0.02', memory: '96Mi' },
      { cpu: '0.02', memory: '256Mi' },
    ],
  ];
  for (const [what, own, requests, limits] of MEMORY) {
    it(`of a Workspace that ${what} asks for no more than it may use, and its memory has a bound`, () => {
      const role: PodRole = { ...ROLE, executor: { ...ROLE.executor, resources: own } };
      expect(containerOf(role).resources).to.deep.equal({ requests, limits });
    });
  }

  it('has a name fixed by the workspace that is a DNS label', () => {
    expect(executorPodName('01234567-89ab-cdef')).to.equal('ex-01234567-8');
    expect(executorPodName('012345678-9')).to.equal('ex-012345678');
  });
});
