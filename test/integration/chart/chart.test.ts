import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readSettings } from '../../../cmd/mcp-server/settings.ts';
import { KINDS } from '../../../pkg/api/kinds.ts';
import { POD_ENV, POD_FLAGS } from '../../bench/engine/pod-flags.ts';
import { CHART, type Manifest, podOf, render, steady } from './rendered.ts';

const DEV = {
  'dev.postgres.enabled': true,
  'dev.redis.enabled': true,
  'dev.sandbox.enabled': true,
};
const PRODUCTION = {
  'database.existingSecret': 'pg',
  'redis.existingSecret': 'redis',
  'secrets.existingSecret': 'app',
};
/** What every workload takes; Jobs and executors included. */
const EXTRA = {
  podLabels: { team: 'growth' },
  podAnnotations: { 'example.com/mesh': 'off' },
  priorityClassName: 'high',
  nodeSelector: { pool: 'apps' },
  tolerations: [{ key: 'apps', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/ca', readOnly: true }],
};
const EXTRAS = Object.fromEntries(
  ['operator', 'mcpServer', 'jobs', 'executor'].flatMap((workload) =>
    Object.entries(EXTRA).map(([key, value]) => [`${workload}.${key}`, value]),
  ),
);
const MATRIX: Record<string, Record<string, unknown>> = {
  development: DEV,
  production: PRODUCTION,
  everything: {
    ...PRODUCTION,
    'mcpServer.autoscaling.enabled': true,
    'networkPolicy.enabled': true,
    'metrics.serviceMonitor.enabled': true,
    'metrics.podMonitor.enabled': true,
    'metrics.prometheusRule.enabled': true,
    'metrics.dashboards.enabled': true,
    'ingress.enabled': true,
    'ingress.host': 'mcp.example.com',
    'ingress.tlsSecret': 'tls',
    'httpRoute.enabled': true,
    'httpRoute.parentRefs': [{ name: 'gateway' }],
    'httpRoute.hostnames': ['mcp.example.com'],
    'providers.unipile.url': 'https://api.example.com',
    'providers.unipile.existingSecret': 'unipile',
    'image.pullSecrets': ['registry'],
    'image.digest': `sha256:${'a'.repeat(64)}`,
    hostUsers: false,
    'externalSecrets.enabled': true,
    'externalSecrets.storeRef.name': 'vault',
    'externalSecrets.keys': { database: 'prod/pg', redis: '', secrets: 'prod/app' },
    ...EXTRAS,
  },
  'watched namespaces': { ...PRODUCTION, watchNamespaces: ['tenant-a', 'tenant-b'] },
  bare: {
    ...PRODUCTION,
    'crds.enabled': false,
    'rbac.create': false,
    'admissionPolicy.enabled': false,
    'migrations.enabled': false,
    'operator.podDisruptionBudget.enabled': false,
    'mcpServer.podDisruptionBudget.enabled': false,
  },
};
const RESTRICTED = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };

describe('chart', () => {
  for (const [name, values] of Object.entries(MATRIX)) {
    describe(`rendered for ${name}`, () => {
      let manifests: Manifest[];
      before(async () => {
        manifests = await render(values);
      });
      const pods = () => manifests.flatMap((manifest) => podOf(manifest) ?? []);
      const containers = () => pods().flatMap(({ spec }) => [...spec.containers, ...(spec.initContainers ?? [])]);

      it('every pod passes the restricted standard and mounts a token only where it is asked for', () => {
        expect(pods()).to.not.have.length(0);
        for (const { spec } of pods()) {
          expect(spec.securityContext).to.deep.include({
            runAsNonRoot: true,
            seccompProfile: { type: 'RuntimeDefault' },
          });
          expect(spec.automountServiceAccountToken).to.be.a('boolean');
          expect(spec.enableServiceLinks).to.equal(false);
          expect(spec.hostNetwork).to.equal(undefined);
          for (const volume of spec.volumes ?? []) expect(volume).to.not.have.property('hostPath');
        }
        for (const one of containers()) expect(one.securityContext, one.name).to.deep.include(RESTRICTED);
      });

      it('every container asks for memory and is bounded; what serves is probed', () => {
        for (const one of containers()) {
          expect(one.resources?.requests, one.name).to.include.keys('cpu', 'memory');
          expect(one.resources?.limits, one.name).to.include.keys('memory');
        }
        const deployments = manifests.filter((manifest) => manifest.kind === 'Deployment');
        for (const one of deployments.flatMap((manifest) => podOf(manifest)?.spec.containers ?? [])) {
          expect(one, one.name).to.include.keys('livenessProbe', 'readinessProbe');
        }
      });

      it('no image without a version, no secret in plain settings or arguments', () => {
        for (const one of containers()) {
          expect(one.image)
            .to.match(/(:[\w.-]+|@sha256:[a-f0-9]{64})$/)
            .and.not.match(/:latest$/);
          for (const { name, value } of one.env ?? []) {
            if (
              /SECRET$|KEY$|PASSWORD|_URL$/.test(name) &&
              !/^(CLAIM|SANDBOX|UNIPILE_BASE|INGRESS|CONSOLE|OUTRIDER|EXECUTOR)_/.test(name)
            ) {
              expect(value, name).to.equal(undefined);
            }
            expect(value ?? '').to.not.match(/postgres:\/\/|redis:\/\//);
          }
          expect((one.args ?? []).join(' ')).to.not.match(/postgres|secret/i);
        }
      });

      it('names fit, labels are the recommended ones, namespaces are the release’s', () => {
        for (const { kind, metadata } of manifests) {
          expect(metadata.name.length, metadata.name).to.be.lessThanOrEqual(63);
          expect(metadata.labels, `${kind} ${metadata.name}`).to.include.keys(
            'app.kubernetes.io/name',
            'app.kubernetes.io/instance',
            'app.kubernetes.io/component',
            'app.kubernetes.io/managed-by',
          );
          expect(['team', 'tenant-a', 'tenant-b', undefined]).to.include(metadata.namespace);
        }
      });

      it('rights name what they are for: no stars, no secrets', () => {
        for (const { rules = [], metadata } of manifests) {
          for (const rule of rules) {
            const said = [...rule.apiGroups.filter((group) => group === '*'), ...rule.resources, ...rule.verbs];
            expect(said, metadata.name).to.not.include('*').and.not.include('secrets');
          }
        }
      });

      it('disruption budgets and services select pods that exist', () => {
        const labels = pods().map((pod) => pod.labels);
        for (const manifest of manifests.filter(({ kind }) => kind === 'PodDisruptionBudget' || kind === 'Service')) {
          const spec = manifest.spec as { selector: Record<string, string> & { matchLabels?: Record<string, string> } };
          const wanted = Object.entries(spec.selector.matchLabels ?? spec.selector);
          const hit = labels.some((one) => wanted.every(([key, value]) => one[key] === value));
          expect(hit, manifest.metadata.name).to.equal(true);
        }
      });
    });
  }

  it('Helm 3 and Helm 4 render the same', async () => {
    const values = { ...MATRIX['everything'], ...DEV };
    expect(steady(await render(values, { major: 3 }))).to.deep.equal(steady(await render(values, { major: 4 })));
  });

  it('labels, places and volumes reach the pods of every workload, executors included', async () => {
    const manifests = await render(MATRIX['everything'] ?? {});
    const workloads = manifests.filter(({ kind }) => ['Deployment', 'Job', 'CronJob'].includes(kind));
    expect(workloads.map(({ metadata }) => metadata.name)).to.have.length(10);
    for (const manifest of workloads) {
      const { spec, labels, annotations } = podOf(manifest) ?? { spec: undefined };
      const { extraVolumes, extraVolumeMounts, podLabels, podAnnotations, ...placement } = EXTRA;
      expect(spec, manifest.metadata.name).to.deep.include({ ...placement, hostUsers: false });
      expect(spec?.volumes).to.deep.include(extraVolumes[0]);
      expect(spec?.containers[0]?.volumeMounts).to.deep.include(extraVolumeMounts[0]);
      expect(labels).to.include(podLabels);
      expect(annotations).to.include(podAnnotations);
    }
    const env = workloads.flatMap((one) => podOf(one)?.spec.containers ?? []).flatMap((one) => one.env ?? []);
    const told = JSON.parse(env.find(({ name }) => name === 'EXECUTOR_POD_JSON')?.value ?? '{}');
    const { podLabels, podAnnotations, extraVolumes, extraVolumeMounts, ...placement } = EXTRA;
    expect(told).to.deep.equal({
      ...placement,
      hostUsers: false,
      labels: podLabels,
      annotations: podAnnotations,
      volumes: extraVolumes,
      volumeMounts: extraVolumeMounts,
    });
  });

  it('every pod, executors included, is chosen by a network policy where they are on', async () => {
    const manifests = await render({ ...DEV, 'networkPolicy.enabled': true });
    const chosen = manifests
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map(({ spec }) => spec as { podSelector: { matchLabels?: Record<string, string> } })
      .map(({ podSelector }) => podSelector.matchLabels ?? {});
    const executor: Record<string, string> = {
      'app.kubernetes.io/name': 'outrider',
      'app.kubernetes.io/component': 'executor',
    };
    const pods = manifests.flatMap((manifest) => podOf(manifest) ?? []).map(({ labels }) => labels);
    for (const labels of [...pods, executor]) {
      const hit = chosen.some((wanted) => Object.entries(wanted).every(([key, value]) => labels[key] === value));
      expect(hit, JSON.stringify(labels)).to.equal(true);
    }
  });

  it('a digest goes before the tag, a mirror before the registry', async () => {
    const digest = `sha256:${'b'.repeat(64)}`;
    const values = { 'image.registry': 'a.example', 'image.tag': '9.9.9', 'image.digest': digest };
    const manifests = await render({ ...PRODUCTION, ...values, 'global.imageRegistry': 'mirror.example' });
    const images = manifests.flatMap((one) => podOf(one)?.spec.containers ?? []).map(({ image }) => image);
    expect(new Set(images)).to.deep.equal(new Set([`mirror.example/outrider.dev/outrider@${digest}`]));
  });

  it('Secrets from a store are there before the migrations, and stay when the release goes', async () => {
    const made = (await render(MATRIX['everything'] ?? {})).filter(({ kind }) => kind === 'ExternalSecret');
    expect(made.map(({ metadata }) => metadata.name).sort()).to.deep.equal(['app', 'pg']);
    for (const { metadata, spec } of made) {
      expect(metadata.annotations?.['helm.sh/hook']).to.equal('pre-install,pre-upgrade');
      expect(Number(metadata.annotations?.['helm.sh/hook-weight'])).to.be.lessThan(-5);
      expect(spec?.['target']).to.deep.include({ creationPolicy: 'Orphan' });
    }
    const values = { 'externalSecrets.enabled': true, 'externalSecrets.keys.redis': 'prod/redis' };
    const refused = await render({ 'database.existingSecret': 'pg', ...values }).then(String, String);
    expect(refused).to.include('externalSecrets.keys.redis needs redis.existingSecret');
  });

  it('the key that seals credentials stays when the release goes, as the database does that it is for', async () => {
    const secretOf = async (values: Record<string, unknown>): Promise<Manifest | undefined> =>
      (await render(values)).find(({ kind, metadata }) => kind === 'Secret' && metadata.name === 'outrider-secrets');
    const kept = await secretOf({ 'database.existingSecret': 'pg' });
    expect(kept?.metadata.annotations).to.deep.equal({ 'helm.sh/resource-policy': 'keep' });
    expect((await secretOf(DEV))?.metadata.annotations, 'with a database that goes too').to.equal(undefined);
  });

  it('network policies let executors and the MCP server reach the providers at the ports of their addresses', async () => {
    const manifests = await render({
      ...PRODUCTION,
      'networkPolicy.enabled': true,
      'providers.unipile.url': 'https://api8.unipile.example:13851',
      'providers.ai.url': 'http://llm.team.svc/v1',
      'providers.sandbox.url': 'http://sandbox.team.svc:8080/',
    });
    const portsOf = (component: string): number[] => {
      const policy = manifests.find((one) => one.kind === 'NetworkPolicy' && one.metadata.name.endsWith(component));
      const egress = (policy?.spec?.['egress'] ?? []) as { ports: { port: number }[]; to?: unknown }[];
      return egress.filter(({ to }) => !to).flatMap(({ ports }) => ports.map(({ port }) => port));
    };
    for (const component of ['executor', 'mcp-server', 'commands'])
      expect(portsOf(component)).to.include.members([13_851, 80, 8080]);
    expect(portsOf('operator')).not.to.include(13_851);
  });

  it('media of posts lie in the bucket that the values name: the MCP server and executors have its keys by a Secret', async () => {
    const s3 = { endpoint: 'http://minio.team.svc:9000', bucket: 'media', existingSecret: 'media-keys' };
    const values = Object.fromEntries(Object.entries(s3).map(([name, value]) => [`media.s3.${name}`, value]));
    const manifests = await render({ ...PRODUCTION, ...values });
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
    const envOf = (component: string) =>
      podOf(deployments.find(({ metadata }) => metadata.name.endsWith(component)) ?? (deployments[0] as Manifest))?.spec
        .containers[0]?.env ?? [];
    const own = envOf('mcp-server');
    expect(own).to.deep.include({ name: 'MEDIA_S3_ENDPOINT', value: s3.endpoint });
    expect(own.find(({ name }) => name === 'MEDIA_S3_SECRET_ACCESS_KEY')).to.deep.include({
      valueFrom: { secretKeyRef: { name: 'media-keys', key: 'MEDIA_S3_SECRET_ACCESS_KEY' } },
    });
    const told = JSON.stringify(envOf('operator'));
    for (const word of [s3.endpoint, 'MEDIA_S3_ACCESS_KEY_ID', 'media-keys']) expect(told).to.contain(word);
  });

  it('the person on call has a Job for doctor and reconcile at hand, which knows the owner and the providers and never starts by itself', async () => {
    const manifests = await render({
      ...PRODUCTION,
      'providers.unipile.url': 'https://api8.unipile.example:13851',
      'providers.unipile.existingSecret': 'unipile',
      'secrets.hasSecretsKey': true,
    });
    const jobs = manifests.filter(({ kind }) => kind === 'CronJob');
    const named = (name: string): Manifest | undefined => jobs.find(({ metadata }) => metadata.name === name);
    expect(jobs.map(({ spec }) => spec?.['suspend'])).to.deep.equal([true, true, true, true, true]);
    const of = (name: string) => {
      const [container] = podOf(named(name) ?? { kind: '', metadata: { name: '' } })?.spec.containers ?? [];
      return { args: container?.args?.slice(1).join(' '), env: container?.env?.map((one) => one.name) ?? [] };
    };
    const keys = ['OUTRIDER_SECRETS_KEY', 'OUTRIDER_SECRETS_OLD_KEYS'];
    for (const [name, args] of [
      ['outrider-doctor', 'doctor'],
      ['outrider-reseal', 'reseal'],
      ['outrider-sealed', 'reseal --dry-run'],
    ] as const)
      expect(of(name)).to.deep.equal({ args, env: ['OWNER_DATABASE_URL', ...keys] });
    for (const [name, args] of [
      ['outrider-reconcile', 'reconcile'],
      ['outrider-compare', 'reconcile --dry-run'],
    ] as const) {
      expect(of(name).args).to.equal(args);
      expect(of(name).env).to.include.members(['OWNER_DATABASE_URL', 'UNIPILE_BASE_URL', 'UNIPILE_API_KEY', ...keys]);
    }
    expect((await render({ ...PRODUCTION, 'commands.enabled': false })).map(({ kind }) => kind)).not.to.include(
      'CronJob',
    );
  });

  it('before a release goes, who puts finalizers on objects is stopped: the Job knows both and may scale them', async () => {
    const manifests = await render(PRODUCTION);
    const job = manifests.find(({ kind, metadata }) => kind === 'Job' && metadata.name === 'outrider-detach');
    const env = (job && podOf(job)?.spec.containers[0]?.env) ?? [];
    const stopped = env.flatMap(({ name, value = '' }) => (name.endsWith('_DEPLOYMENT') ? [value] : []));
    expect(stopped).to.have.members(
      manifests.flatMap(({ kind, metadata }) => (kind === 'Deployment' ? [metadata.name] : [])),
    );
    const role = manifests.find(({ kind, metadata }) => kind === 'Role' && metadata.name === 'outrider-jobs-home');
    const scales = role?.rules?.find(({ resources }) => resources.includes('deployments/scale'));
    expect(scales?.resourceNames).to.have.members(stopped);
  });

  it('its card names the version, the images and an example that the definitions take', async () => {
    const card = parse(await readFile(`${CHART}Chart.yaml`, 'utf8'));
    const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect([card.version, card.appVersion]).to.deep.equal([version, version]);
    const said = (name: string): unknown => parse(card.annotations[`artifacthub.io/${name}`]);
    const values = parse(await readFile(`${CHART}values.yaml`, 'utf8'));
    expect((said('images') as { image: string }[]).map(({ image }) => image)).to.deep.equal([
      `${values.image.repository}:${version}`,
      values.dev.postgres.image,
      values.dev.redis.image,
    ]);
    const examples = said('crdsExamples') as { kind: string; spec: object }[];
    for (const { kind, spec } of examples) expect(KINDS[kind as 'Workspace'].spec.parse(spec), kind).to.be.an('object');
    expect((said('crds') as { kind: string }[]).map(({ kind }) => kind).sort()).to.deep.equal(
      Object.keys(KINDS).sort(),
    );
    for (const name of ['license', 'operator', 'operatorCapabilities', 'changes', 'links', 'category'])
      expect(card.annotations, name).to.have.property(`artifacthub.io/${name}`);
  });

  it('watched namespaces shrink the rights: nothing of ours is cluster-wide', async () => {
    const manifests = await render({ ...PRODUCTION, watchNamespaces: ['tenant-a'], 'rbac.aggregate': false });
    expect(manifests.filter(({ kind }) => kind.startsWith('ClusterRole'))).to.deep.equal([]);
    const roles = manifests.filter(({ kind, metadata }) => kind === 'Role' && metadata.name === 'outrider-operator');
    expect(roles.map(({ metadata }) => metadata.namespace).sort()).to.deep.equal(['team', 'tenant-a']);
  });

  it('the operator may not read secrets or write Workspaces anew, the MCP server may not touch pods', async () => {
    const manifests = await render(PRODUCTION);
    const verbs = (role: string, resource: string): string[] =>
      manifests
        .filter(({ kind, metadata }) => kind.endsWith('Role') && metadata.name.endsWith(role))
        .flatMap(({ rules = [] }) =>
          rules.filter((rule) => rule.resources.includes(resource)).flatMap((rule) => rule.verbs),
        );
    expect(verbs('-operator', 'workspaces')).to.not.include('create').and.not.include('delete');
    expect(verbs('-mcp-server', 'pods')).to.deep.equal([]);
    expect(verbs('-operator-home', 'leases')).to.include('update');
  });

  it('the address of invitations and webhooks is the public one, and its paths are routed', async () => {
    const told = async (values: Record<string, unknown>): Promise<(string | undefined)[]> => {
      const env = (await render(values))
        .flatMap((one) => podOf(one)?.spec.containers ?? [])
        .flatMap((one) => one.env ?? []);
      return [
        env.find(({ name }) => name === 'INGRESS_URL')?.value,
        JSON.parse(env.find(({ name }) => name === 'EXECUTOR_ENV_JSON')?.value ?? '{}').INGRESS_URL,
      ];
    };
    const service = 'http://outrider-mcp-server-ingress.team.svc';
    const host = 'https://mcp.example.com';
    expect(await told(DEV)).to.deep.equal([service, service]);
    expect(await told({ ...PRODUCTION, ingressUrl: `${host}/` })).to.deep.equal([host, host]);
    expect(await told(MATRIX['everything'] ?? {})).to.deep.equal([host, host]);
    const routes = (await render(MATRIX['everything'] ?? {})).filter(({ kind }) => /^(Ingress|HTTPRoute)$/.test(kind));
    for (const { kind, spec } of routes) expect(JSON.stringify(spec), kind).to.include('/invitations');
    expect(routes).to.have.length(2);
  });

  it('the claim link of the console is in a Secret alone, whose name the notes print, and the first Job registers it', async () => {
    const manifests = await render({
      ...DEV,
      'ingress.enabled': true,
      'ingress.host': 'mcp.example.com',
    });
    const secret = manifests.find(({ metadata }) => metadata.name === 'outrider-console-claim');
    const { CLAIM_TOKEN: token = '', LINK: link = '' } = (secret as unknown as { data: Record<string, string> }).data;
    const plain = Buffer.from(token, 'base64').toString();
    expect(plain).to.match(/^[\w-]{43}$/);
    expect(Buffer.from(link, 'base64').toString()).to.equal(`http://mcp.example.com/console/claim/${plain}`);
    const rest = JSON.stringify(manifests.filter((one) => one !== secret));
    for (const text of [plain, token, link]) expect(rest).not.to.include(text);
    const job = manifests.find(({ kind, metadata }) => kind === 'Job' && metadata.name === 'outrider-first-key');
    expect((job && podOf(job))?.spec.containers[0]?.env).to.deep.include({
      name: 'CLAIM_TOKEN',
      valueFrom: { secretKeyRef: { name: 'outrider-console-claim', key: 'CLAIM_TOKEN' } },
    });
    const notes = await readFile(`${CHART}templates/NOTES.txt`, 'utf8');
    expect(notes).to.include('include "outrider.claimSecret"').and.not.include('CLAIM_TOKEN');
    const without = await render({ ...DEV, 'mcpServer.console.claim': false });
    const ofOthers = await render(PRODUCTION);
    for (const rendered of [without, ofOthers])
      expect(JSON.stringify(rendered)).not.to.include('console-claim').and.not.include('CLAIM_TOKEN');
  });

  it('the console is routed, and told where it is and how people sign in', async () => {
    const env = async (values: Record<string, unknown>) =>
      (await render(values)).flatMap((one) => podOf(one)?.spec.containers ?? []).flatMap((one) => one.env ?? []);
    const urlOf = async (values: Record<string, unknown>) =>
      (await env(values)).find(({ name }) => name === 'CONSOLE_URL')?.value;
    expect(await urlOf(DEV)).to.equal(undefined);
    expect(await urlOf(MATRIX['everything'] ?? {})).to.equal('https://mcp.example.com');
    const console = { 'mcpServer.console.url': 'https://desk.example.com/' };
    expect(await urlOf({ ...PRODUCTION, ...console })).to.equal('https://desk.example.com');
    const routes = (await render(MATRIX['everything'] ?? {})).filter(({ kind }) => /^(Ingress|HTTPRoute)$/.test(kind));
    for (const { kind, spec } of routes) expect(JSON.stringify(spec), kind).to.include('"/console"');
    const oidc = { 'mcpServer.console.oidc.issuer': 'https://id.example.com' };
    const told = await env({ ...PRODUCTION, ...oidc, 'mcpServer.console.oidc.existingSecret': 'sso' });
    expect(told).to.deep.include({ name: 'CONSOLE_OIDC_ISSUER', value: 'https://id.example.com' });
    expect(told.find(({ name }) => name === 'CONSOLE_OIDC_CLIENT_SECRET')).to.deep.include({
      valueFrom: { secretKeyRef: { name: 'sso', key: 'CONSOLE_OIDC_CLIENT_SECRET' } },
    });
    expect(await render({ ...PRODUCTION, ...oidc }).then(String, String)).to.include('oidc.existingSecret is required');
  });

  it('places, the share of an upgrade and a pooler reach the operator and its executors', async () => {
    const values = { 'executor.maxPods': 40, 'executor.maxUnavailablePercent': 25, 'database.executorsPooled': true };
    const env = (await render({ ...PRODUCTION, ...values }))
      .flatMap((one) => podOf(one)?.spec.containers ?? [])
      .flatMap((one) => one.env ?? []);
    const value = (name: string): string => env.find((one) => one.name === name)?.value ?? '';
    expect([value('EXECUTOR_MAX_PODS'), value('EXECUTOR_MAX_UNAVAILABLE_PERCENT')]).to.deep.equal(['40', '25']);
    expect(JSON.parse(value('EXECUTOR_ENV_JSON'))).to.include({ DATABASE_POOLED: 'true' });
  });

  it('the pool reaches the operator; without one nothing of it is said, and a platform that is Pooled without one is refused', async () => {
    const envOf = async (values: object): Promise<(name: string) => string | undefined> => {
      const env = (await render({ ...PRODUCTION, ...values }))
        .flatMap((one) => podOf(one)?.spec.containers ?? [])
        .flatMap((one) => one.env ?? []);
      return (name) => env.find((one) => one.name === name)?.value;
    };
    const pooled = await envOf({ 'executor.mode': 'Pooled', 'executor.pool.replicas': 3, 'executor.pool.heapMb': 768 });
    expect([
      pooled('EXECUTOR_MODE'),
      pooled('EXECUTOR_POOL_REPLICAS'),
      pooled('EXECUTOR_POOL_CONNECTIONS'),
    ]).to.deep.equal(['Pooled', '3', '16']);
    expect(JSON.parse(pooled('EXECUTOR_POOL_RESOURCES_JSON') ?? '')).to.deep.equal({
      requests: { cpu: '250m', memory: '256Mi' },
      limits: { memory: '1Gi' },
    });
    expect(JSON.parse(pooled('EXECUTOR_POOL_COMMAND_JSON') ?? '')).to.include('--max-old-space-size=768');
    const usual = await envOf({});
    expect([usual('EXECUTOR_MODE'), usual('EXECUTOR_POOL_REPLICAS')]).to.deep.equal(['Dedicated', undefined]);
    const refused = await envOf({ 'executor.mode': 'Pooled' }).then(() => 'taken', String);
    expect(refused).to.include('executor.mode Pooled needs executor.pool.replicas above 0');
  });

  it('a limit of a million calls arrives as a number that the server takes', async () => {
    const manifests = await render({ ...PRODUCTION, 'mcpServer.rateLimits.overall': 1_000_000 });
    const env = manifests.flatMap((one) => podOf(one)?.spec.containers ?? []).flatMap((one) => one.env ?? []);
    const given = Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
    const secrets = { DATABASE_URL: 'postgres://x', SESSION_SECRET: 's'.repeat(16), CURSOR_SECRET: 's'.repeat(16) };
    const limits = Object.entries(given).filter(([name]) => name.startsWith('MCP_RATE_LIMIT_'));
    expect(readSettings({ ...secrets, ...Object.fromEntries(limits) })).to.include({
      MCP_RATE_LIMIT_OVERALL_PER_MIN: 1_000_000,
      MCP_RATE_LIMIT_READ_PER_MIN: 120,
    });
  });

  it('a value that does not exist, or of a wrong type, is refused by name', async () => {
    for (const [key, value, said] of [
      ['mcpServer.replica', 3, /replica/],
      ['mcpServer.replicas', 'three', /replicas/],
      ['image.pullPolicy', 'Sometimes', /pullPolicy/],
      ['mcpServer.rateLimits.read', 0, /read/],
    ] as const) {
      const error = await render({ ...PRODUCTION, [key]: value }).then(
        () => undefined,
        (reason: Error) => reason,
      );
      expect(error?.message, key).to.match(said);
    }
  });

  it('executors run with the flags and the environment that the benchmark measures', async () => {
    const manifests = await render(PRODUCTION);
    const env = manifests.flatMap((one) => podOf(one)?.spec.containers ?? []).flatMap((one) => one.env ?? []);
    const command = env.find((one) => one.name === 'EXECUTOR_COMMAND_JSON')?.value ?? '[]';
    expect(JSON.parse(command).slice(1, -1)).to.deep.equal(POD_FLAGS);
    expect(JSON.parse(env.find((one) => one.name === 'EXECUTOR_ENV_JSON')?.value ?? '{}')).to.include(POD_ENV);
  });

  it('without a database it says what to set', async () => {
    const error = await render({}).then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error?.message).to.include('Set database.existingSecret');
  });

  it('a long release name still makes valid names', async () => {
    // Eleven more are for the Jobs that a CronJob makes.
    for (const { kind, metadata } of await render(PRODUCTION, { release: 'a'.repeat(53) }))
      expect(metadata.name).to.match(kind === 'CronJob' ? /^[a-z0-9.-]{1,52}$/ : /^[a-z0-9.-]{1,63}$/);
  });
});
